// Checks settings of an agent that depend on its plan: `questions` and `raw`. Pure.
//
// `questions`: names of entries and tools that callers may answer. An unknown name
// would look like a permission, and a name of both a tool and an entry would permit more than intended.
import { readAgentTool, type Agent, type Issue, type Plan, type PlanEntry } from '@millrace/contracts';

export function findQuestionIssues({ questions = [], tools }: Agent, plan: Plan): Issue[] {
  const names = tools.map((tool) => readAgentTool(tool).use);
  return questions.flatMap((name, at): Issue[] => {
    const path = `questions[${at}]`;
    const isTool = names.includes(name);
    const isEntry = Object.hasOwn(plan.entries, name);
    if (isTool !== isEntry) return [];
    const message = isTool
      ? `"${name}" is both a tool and an entry of this agent.`
      : `"${name}" is neither a tool nor an entry of this agent.`;
    const remedy = isTool
      ? 'Choose another name for the entry with `as`.'
      : 'List it under tools, input or output, or remove it.';
    return [{ code: 'agent-invalid', message, path, remedy }];
  });
}

/** Raw data repeats the answer in a form that no processor of the output can judge: an agent with such a processor must not return it. Memory and observers change nothing. Pure. */
export function findRawIssues({ raw }: Agent, plan: Plan): Issue[] {
  if (raw !== true) return [];
  const judges = ({ lists, memory, observe }: PlanEntry) => lists.includes('output') && !memory && !observe;
  const listed = Object.values(plan.entries).filter(judges);
  const callers = Object.values(plan.overridable ?? {}).filter(({ lists }) => lists.includes('output'));
  const names = [...new Set([...listed, ...callers].map(({ entry }) => entry))];
  if (names.length === 0) return [];
  const message = `raw bypasses ${names.join(', ')}: none of them can judge it.`;
  const remedy = 'Remove raw, or remove these processors from output and overrides.';
  return [{ code: 'agent-invalid', message, path: 'raw', remedy }];
}

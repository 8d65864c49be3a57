// Checks settings of an agent that depend on its plan: `questions`, `raw` and `files`. Pure.
//
// `questions`: names of entries and tools that callers may answer. An unknown name
// would look like a permission, and a name of both a tool and an entry would permit more than intended.
import { listFileJudges, readAgentTool, type Agent, type Issue, type Plan, type PlanEntry } from '@millrace/contracts';

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

/** Without an entry that judges files, `files: judged` would accept nothing but files of text. */
export function findFilesIssues({ files }: Agent, plan: Plan): Issue[] {
  if (files !== 'judged' || listFileJudges(plan).length > 0) return [];
  const message = 'No entry of the input judges files, so that "judged" accepts none.';
  const remedy =
    'List a processor that judges files before the model, such as judge with its option files, not as an observer and not in a group with overlap, or set `files: text`.';
  return [{ code: 'agent-invalid', message, path: 'files', remedy }];
}

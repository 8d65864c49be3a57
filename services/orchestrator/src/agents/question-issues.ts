// `questions` of an agent: whose suspensions are the caller's own to answer. A name that nobody bears would be taken for an allowance, and
// one that a tool and an entry both bear would allow more than its author meant.
import type { Agent, Issue, Plan } from '@millrace/contracts';

export function questionIssues({ questions = [], tools }: Agent, plan: Plan): Issue[] {
  return questions.flatMap((name, at): Issue[] => {
    const path = `questions[${at}]`;
    const isTool = tools.includes(name);
    const isEntry = Object.hasOwn(plan.entries, name);
    if (isTool !== isEntry) return [];
    const message = isTool
      ? `"${name}" is a tool and an entry of this agent: whose questions are meant is not said.`
      : `"${name}" is neither a tool nor an entry of this agent.`;
    const remedy = isTool
      ? 'Give the entry another name, by `as`.'
      : 'List it under tools, input or output, or take it out.';
    return [{ code: 'agent-invalid', message, path, remedy }];
  });
}

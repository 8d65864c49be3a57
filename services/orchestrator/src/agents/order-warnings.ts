// Warns about positions that are allowed but probably wrong: a guard before the source of the text that it should
// judge, or after the memory that has read or stored by then. Processors advertise which of the two they are. Pure.
import { listJudges, type Issue, type Plan, type PlanEntry, type Stage } from '@millrace/contracts';

export function findOrderWarnings(plan: Plan): Issue[] {
  return [
    ...warnBeforeSources(plan),
    ...warnAfterMemory(plan, 'processInput'),
    ...warnAfterMemory(plan, 'processOutputResult'),
  ];
}

/** Other stages are left alone: processInputStep follows all of processInput, and its guards belong there. */
function warnBeforeSources(plan: Plan): Issue[] {
  return (['processInput', 'processInputStep'] as const).flatMap((stage) => {
    const entries = listJudges(plan, stage);
    return entries.flatMap((guard, at): Issue[] => {
      const later = guard.judgesText ? entries.slice(at + 1).filter(({ addsText }) => addsText) : [];
      const last = later.at(-1);
      if (!last || isJudgedAgain(entries, guard, last)) return [];
      const names = later.map(({ entry }) => `"${entry}"`).join(', ');
      return [
        createWarning(
          `"${guard.entry}" precedes ${names} in ${stage}, and does not see their text.`,
          `List it after: {use: ${guard.processor}, after: ${last.entry}}.`,
        ),
      ];
    });
  });
}

/** Returns whether another entry of the same processor follows all of them. */
function isJudgedAgain(entries: readonly PlanEntry[], { processor }: PlanEntry, last: PlanEntry): boolean {
  return entries.slice(entries.indexOf(last)).some((entry) => entry.processor === processor);
}

function warnAfterMemory(plan: Plan, stage: Stage): Issue[] {
  const entries = listJudges(plan, stage);
  const memory = entries.find((entry) => entry.memory);
  if (!memory) return [];
  const late = entries.slice(entries.indexOf(memory)).filter(({ judgesText }) => judgesText);
  const does =
    stage === 'processInput'
      ? 'has been read for an input that this entry may block'
      : 'has stored text that this entry would change';
  return late.map(({ entry }) =>
    createWarning(
      `"${entry}" follows memory ("${memory.entry}") in ${stage}, which ${does}.`,
      'List it before memory.',
    ),
  );
}

const createWarning = (message: string, remedy: string): Issue => ({ code: 'entry-order', message, remedy });

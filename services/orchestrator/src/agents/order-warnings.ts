// Places in a list that are allowed and probably not meant: a guard before what brings in the text that it should judge, or after the
// memory that has read or stored by then. By the names of what is shipped: of others nobody knows what they bring in. Pure.
import { judgesOf, type Issue, type Plan, type PlanEntry, type Stage } from '@millrace/contracts';

/** They judge or redact what stands in messages when they are called, and nothing that comes later. */
const GUARDS: ReadonlySet<string> = new Set([
  'content-length',
  'keyword',
  'language',
  'moderation',
  'pii',
  'prompt-injection',
  'regex-filter',
  'secrets',
  'unicode-normalizer',
]);

/** They put text into messages that nobody has judged: of files, commands, arguments, what other tools wrote. */
const SOURCES: ReadonlySet<string> = new Set([
  'agents-md',
  'argument-processor',
  'at-file',
  'directory-context',
  'environment-context',
  'ide-context',
  'memory-import',
  'shell-processor',
]);

const isGuard = ({ processor }: PlanEntry): boolean => GUARDS.has(processor);

export function orderWarnings(plan: Plan): Issue[] {
  return [...beforeSources(plan), ...afterMemory(plan, 'processInput'), ...afterMemory(plan, 'processOutputResult')];
}

/** What stands in another stage is left alone: processInputStep comes after all of processInput, and its guards have to stand there. */
function beforeSources(plan: Plan): Issue[] {
  return (['processInput', 'processInputStep'] as const).flatMap((stage) => {
    const entries = judgesOf(plan, stage);
    return entries.flatMap((guard, at): Issue[] => {
      const later = isGuard(guard) ? entries.slice(at + 1).filter(({ processor }) => SOURCES.has(processor)) : [];
      const last = later.at(-1);
      if (!last || isJudgedAgain(entries, guard, last)) return [];
      const names = later.map(({ entry }) => `"${entry}"`).join(', ');
      return [
        warning(
          `"${guard.entry}" stands before ${names} in ${stage}, and does not see what is brought in there.`,
          `List it after: {use: ${guard.processor}, after: ${last.entry}}.`,
        ),
      ];
    });
  });
}

/** Another entry of the same processor stands behind all of them. */
function isJudgedAgain(entries: readonly PlanEntry[], { processor }: PlanEntry, last: PlanEntry): boolean {
  return entries.slice(entries.indexOf(last)).some((entry) => entry.processor === processor);
}

function afterMemory(plan: Plan, stage: Stage): Issue[] {
  const entries = judgesOf(plan, stage);
  const memory = entries.find((entry) => entry.memory);
  if (!memory) return [];
  const late = entries.slice(entries.indexOf(memory)).filter(isGuard);
  const does =
    stage === 'processInput' ? 'has read for an input that this may block' : 'has stored what this would change';
  return late.map(({ entry }) =>
    warning(`"${entry}" stands after memory ("${memory.entry}") in ${stage}, which ${does}.`, 'List it before memory.'),
  );
}

const warning = (message: string, remedy: string): Issue => ({ code: 'entry-order', message, remedy });

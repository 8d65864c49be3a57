// Expands `memory` to the configured processors: message-history always, semantic-recall and working-memory if they are
// enabled. If no list names it, it is last on input and output. Processors that are named individually are not added
// twice.
import type { EntryObject, Issue, JsonObject, MemoryConfig } from '@millrace/contracts';
import type { ListedEntry } from './definition-issues.ts';
import { MEMORY_PROCESSORS } from './default-positions.ts';

const WORD = 'memory';

export function expandMemory(
  listed: readonly ListedEntry[],
  memory: MemoryConfig | undefined,
  resolveAlias: (name: string) => string,
): ListedEntry[] {
  const options = memoryOptions(memory);
  return (['input', 'output', 'error'] as const).flatMap((list) => {
    const own = listed.filter((one) => one.list === list);
    const named = new Set(own.map(({ entry }) => resolveAlias(entry.use)));
    const members = [...options].filter(([use]) => !named.has(use));
    const listEntry = (path: string, from?: EntryObject): ListedEntry[] =>
      members.map(([use, given]) => ({ list, path, entry: { ...from, use, options: given } }));
    const expanded = own.flatMap((one) =>
      isMemory(one) && list !== 'error' ? listEntry(one.path, omitName(one.entry)) : [one],
    );
    const last = memory && list !== 'error' && !own.some(isMemory) ? listEntry(WORD) : [];
    return [...expanded, ...last].map((one) => withMemoryOptions(one, options, resolveAlias));
  });
}

/** `memory` is several entries: fields that only one entry can have are refused. */
export function misusedMemory(listed: readonly ListedEntry[]): Issue[] {
  return listed.filter(isMemory).flatMap(({ path, entry }) =>
    (['as', 'options'] as const)
      .filter((key) => entry[key] !== undefined)
      .map((key) => ({
        code: 'agent-invalid' as const,
        message: `"${WORD}" takes no ${key}, because it is several processors.`,
        path: `${path}.${key}`,
        remedy: 'Configure it under `memory`, or name its processors individually.',
      })),
  );
}

const isMemory = ({ entry }: ListedEntry): boolean => entry.use === WORD;

function omitName({ as: _as, options: _options, ...rest }: EntryObject): EntryObject {
  return rest;
}

/** Options by processor, in the order of the calls. */
function memoryOptions(memory: MemoryConfig | undefined): Map<string, JsonObject> {
  const { lastMessages, semanticRecall, workingMemory } = memory ?? {};
  const options = new Map<string, JsonObject>();
  options.set('message-history', lastMessages === undefined ? {} : { lastMessages });
  if (semanticRecall) options.set('semantic-recall', semanticRecall === true ? {} : semanticRecall);
  if (workingMemory) options.set('working-memory', workingMemory === true ? {} : workingMemory);
  return options;
}

/** Applies the `memory` configuration to an individually named processor, unless that has options of its own. */
function withMemoryOptions(
  one: ListedEntry,
  options: Map<string, JsonObject>,
  resolveAlias: (name: string) => string,
): ListedEntry {
  const configured = options.get(resolveAlias(one.entry.use));
  if (configured === undefined || one.entry.options !== undefined) return one;
  return { ...one, entry: { ...one.entry, options: configured } };
}

export function isMemoryProcessor(processor: string): boolean {
  return MEMORY_PROCESSORS.includes(processor);
}

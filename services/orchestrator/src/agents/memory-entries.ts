// `memory` stands for what the agent configures: message-history always, semantic-recall and working-memory where they are on.
// Where no list names it, it comes last on input and output. What is named one by one is not added twice.
import type { EntryObject, Issue, JsonObject, MemoryConfig } from '@millrace/contracts';
import type { ListedEntry } from './definition-issues.ts';
import { MEMORY_PROCESSORS } from './default-order.ts';

const WORD = 'memory';

export function expandMemory(
  listed: readonly ListedEntry[],
  memory: MemoryConfig | undefined,
  aliasOf: (name: string) => string,
): ListedEntry[] {
  const options = memoryOptions(memory);
  return (['input', 'output', 'error'] as const).flatMap((list) => {
    const own = listed.filter((one) => one.list === list);
    const named = new Set(own.map(({ entry }) => aliasOf(entry.use)));
    const members = [...options].filter(([use]) => !named.has(use));
    const at = (path: string, from?: EntryObject): ListedEntry[] =>
      members.map(([use, given]) => ({ list, path, entry: { ...from, use, options: given } }));
    const expanded = own.flatMap((one) =>
      isMemory(one) && list !== 'error' ? at(one.path, withoutName(one.entry)) : [one],
    );
    const last = memory && list !== 'error' && !own.some(isMemory) ? at(WORD) : [];
    return [...expanded, ...last].map((one) => withMemoryOptions(one, options, aliasOf));
  });
}

/** The word is several entries: what only one can have is said where it is one. */
export function misusedMemory(listed: readonly ListedEntry[]): Issue[] {
  return listed.filter(isMemory).flatMap(({ path, entry }) =>
    (['as', 'options'] as const)
      .filter((key) => entry[key] !== undefined)
      .map((key) => ({
        code: 'agent-invalid' as const,
        message: `"${WORD}" takes no ${key}: it stands for several processors.`,
        path: `${path}.${key}`,
        remedy: 'Configure it under `memory`, or name its processors one by one.',
      })),
  );
}

const isMemory = ({ entry }: ListedEntry): boolean => entry.use === WORD;

function withoutName({ as: _as, options: _options, ...rest }: EntryObject): EntryObject {
  return rest;
}

/** Options by processor, in the order in which they are called. */
function memoryOptions(memory: MemoryConfig | undefined): Map<string, JsonObject> {
  const { lastMessages, semanticRecall, workingMemory } = memory ?? {};
  const options = new Map<string, JsonObject>();
  options.set('message-history', lastMessages === undefined ? {} : { lastMessages });
  if (semanticRecall) options.set('semantic-recall', semanticRecall === true ? {} : semanticRecall);
  if (workingMemory) options.set('working-memory', workingMemory === true ? {} : workingMemory);
  return options;
}

/** A memory that is named one by one keeps what `memory` configures of it, unless it has options of its own. */
function withMemoryOptions(
  one: ListedEntry,
  options: Map<string, JsonObject>,
  aliasOf: (name: string) => string,
): ListedEntry {
  const configured = options.get(aliasOf(one.entry.use));
  if (configured === undefined || one.entry.options !== undefined) return one;
  return { ...one, entry: { ...one.entry, options: configured } };
}

export function isMemoryProcessor(processor: string): boolean {
  return MEMORY_PROCESSORS.includes(processor);
}

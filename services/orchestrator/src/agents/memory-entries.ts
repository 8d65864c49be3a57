// Expands `memory` to the processors that implement its members: that of lastMessages always, those of semanticRecall
// and workingMemory if they are enabled. If no list names it, it is last on input and output. A member is not added to a
// list that names its processor individually, nor to one that its processor does not serve.
import {
  SHIPPED_MEMORY,
  readMemoryKey,
  type EntryObject,
  type Issue,
  type JsonObject,
  type MemoryConfig,
  type MemoryKey,
} from '@millrace/contracts';
import type { ListedEntry } from './definition-issues.ts';
import { findProcessor, type KnownProcessors } from './entry-uses.ts';

const WORD = 'memory';

export function expandMemory(
  listed: readonly ListedEntry[],
  memory: MemoryConfig | undefined,
  known: KnownProcessors,
): { entries: ListedEntry[]; issues: Issue[] } {
  const options = collectMemoryOptions(memory);
  const issues = new Map<MemoryKey, Issue>();
  const chooseProcessor = (key: MemoryKey, path: string): string => {
    const found = listImplementing(key, listed, known);
    if (found.length > 1) issues.set(key, createAmbiguousIssue(key, found, path));
    return found[0] ?? SHIPPED_MEMORY[key];
  };
  const entries = (['input', 'output', 'error'] as const).flatMap((list) => {
    const own = listed.filter((one) => one.list === list);
    const named = new Set(own.map((one) => findKey(one, known)));
    const members = [...options].filter(([key]) => !named.has(key));
    const listEntry = (path: string, from?: EntryObject): ListedEntry[] =>
      members
        .map(([key, given]) => ({ list, path, entry: { ...from, use: chooseProcessor(key, path), options: given } }))
        .filter(({ entry }) => known.processors.get(entry.use)?.descriptor.lists.includes(list) ?? true);
    const expanded = own.flatMap((one) =>
      isMemory(one) && list !== 'error' ? listEntry(one.path, omitName(one.entry)) : [one],
    );
    const last = memory && list !== 'error' && !own.some(isMemory) ? listEntry(WORD) : [];
    return [...expanded, ...last].map((one) => withMemoryOptions(one, options, known));
  });
  return { entries, issues: [...issues.values()] };
}

/** `memory` is several entries: fields that only one entry can have are refused. */
export function findMisusedMemory(listed: readonly ListedEntry[]): Issue[] {
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

/** Options by member of `memory`, in the order of the calls. */
function collectMemoryOptions(memory: MemoryConfig | undefined): Map<MemoryKey, JsonObject> {
  const { lastMessages, keepPartial, generateTitle, semanticRecall, workingMemory } = memory ?? {};
  const options = new Map<MemoryKey, JsonObject>();
  const history = {
    ...(lastMessages !== undefined && { lastMessages }),
    ...(keepPartial !== undefined && { keepPartial }),
    ...(generateTitle !== undefined && { generateTitle }),
  };
  options.set('lastMessages', history);
  if (semanticRecall) options.set('semanticRecall', semanticRecall === true ? {} : semanticRecall);
  if (workingMemory) options.set('workingMemory', workingMemory === true ? {} : workingMemory);
  return options;
}

/** Returns the processors that the agent lists for a member of `memory`, otherwise all running ones. */
function listImplementing(key: MemoryKey, listed: readonly ListedEntry[], known: KnownProcessors): string[] {
  const running = [...known.processors.values()].map(({ descriptor }) => descriptor);
  const ids = running.filter((one) => readMemoryKey(one.id, one) === key).map(({ id }) => id);
  const uses = new Set(listed.map(({ entry }) => findProcessor(entry.use, known)?.descriptor.id));
  const named = ids.filter((id) => uses.has(id));
  return named.length > 0 ? named : ids;
}

function createAmbiguousIssue(key: MemoryKey, ids: readonly string[], path: string): Issue {
  const names = ids.toSorted().map((id) => `"${id}"`);
  const message = `Several processors implement ${WORD}.${key}: ${names.join(', ')}.`;
  return { code: 'agent-invalid', message, path, remedy: 'Name one of them under input and output.' };
}

/** Applies the `memory` configuration to an individually named processor, unless that has options of its own. */
function withMemoryOptions(
  one: ListedEntry,
  options: ReadonlyMap<MemoryKey, JsonObject>,
  known: KnownProcessors,
): ListedEntry {
  const key = findKey(one, known);
  const configured = key && options.get(key);
  if (configured === undefined || one.entry.options !== undefined) return one;
  return { ...one, entry: { ...one.entry, options: configured } };
}

function findKey({ entry }: ListedEntry, known: KnownProcessors): MemoryKey | undefined {
  const descriptor = findProcessor(entry.use, known)?.descriptor;
  return readMemoryKey(descriptor?.id ?? entry.use, descriptor ?? {});
}

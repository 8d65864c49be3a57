// An entry of a list together with what discovery says of its processor. Pure.
import {
  stagesOfList,
  type Issue,
  type JsonObject,
  type ListName,
  type RefusedEndpoint,
  type ToolDefinition,
} from '@millrace/contracts';
import type { FoundProcessor } from '../peers/discovery.ts';
import type { ListedEntry } from './definition-issues.ts';
import type { Placed } from './entry-order.ts';

export type Known = {
  processors: ReadonlyMap<string, FoundProcessor>;
  tools: ReadonlyMap<string, ToolDefinition>;
  /** What is advertised and does not count: who names it should hear why. */
  refused: readonly RefusedEndpoint[];
};
/** One use of a processor in a list. An entry that stands in two lists has two uses and one name. */
export type Use = Placed & {
  list: ListName;
  found: FoundProcessor;
  given: ListedEntry['entry'];
  group?: string | undefined;
  overlap?: 'model' | undefined;
};

/** By its id, or by a name that other frameworks use for it. */
function processorOf(name: string, { processors }: Known): FoundProcessor | undefined {
  return processors.get(name) ?? [...processors.values()].find(({ descriptor }) => descriptor.aliases.includes(name));
}

/** The id that a name stands for; the name itself where nobody is known by it. */
export const idOf = (name: string, known: Known): string => processorOf(name, known)?.descriptor.id ?? name;

export function useOf(
  { list, path, entry, group, overlap }: ListedEntry,
  known: Known,
): { use: Use } | { issue: Issue } {
  const found = processorOf(entry.use, known);
  if (!found) {
    const { message, remedy } = missing('processor', entry.use, [...known.processors.keys()], known.refused);
    return { issue: { code: 'processor-unknown', message, path, remedy } };
  }
  const { descriptor } = found;
  if (!descriptor.stages.some((stage) => stagesOfList(list).includes(stage))) {
    const message = `"${descriptor.id}" has no stage of the ${list} list; it has ${descriptor.stages.join(', ')}.`;
    const remedy = `List it under ${descriptor.lists.join(' or ')}.`;
    return { issue: { code: 'entry-without-stage', message, path, remedy } };
  }
  const after = entry.after === undefined ? undefined : idOf(entry.after, known);
  const before = entry.before === undefined ? undefined : idOf(entry.before, known);
  const name = entry.as ?? descriptor.id;
  return { use: { list, path, name, processor: descriptor.id, after, before, found, given: entry, group, overlap } };
}

/** Options may be given at either use of an entry. */
export function optionsOf(uses: readonly Use[]): JsonObject {
  return uses.map((one) => one.given.options).find((options) => options !== undefined) ?? {};
}

/** How many of the names that are there a refusal lists. */
const MAX_NAMES = 40;

/** What to say of a name that nobody serves. */
export function missing(
  what: 'processor' | 'tool',
  name: string,
  there: readonly string[],
  refused: readonly RefusedEndpoint[],
): { message: string; remedy: string } {
  const own = refused.find((one) => one.name === name);
  if (own) {
    return {
      message: `The ${what} "${name}" is advertised but refused: ${own.problem} (service ${own.service}).`,
      remedy: 'Correct what the service says of itself, and start it again.',
    };
  }
  const names = there.toSorted();
  const rest = names.length - MAX_NAMES;
  const listed = `${names.slice(0, MAX_NAMES).join(', ') || 'none'}${rest > 0 ? ` and ${rest} more` : ''}`;
  return {
    message: `No running service has a ${what} "${name}".`,
    remedy: `Start its service, or choose one that is there: ${listed}.`,
  };
}

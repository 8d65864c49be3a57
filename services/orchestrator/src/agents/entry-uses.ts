// Combines an entry of a list with the advertised description of its processor. Pure.
import {
  readMemoryKey,
  type AdvertisedTool,
  listStagesOfList,
  suggestName,
  type Issue,
  type JsonObject,
  type ListName,
  type ProcessorDescriptor,
  type RefusedEndpoint,
} from '@millrace/contracts';
import type { DiscoveredProcessor, Discovery } from '../peers/discovery.ts';
import type { ListedEntry } from './definition-issues.ts';
import type { PlacedEntry } from './entry-order.ts';

export type KnownProcessors = {
  processors: ReadonlyMap<string, DiscoveredProcessor>;
  tools: ReadonlyMap<string, AdvertisedTool>;
  /** Advertised but refused: an entry that names one is reported with the reason. */
  refused: readonly RefusedEndpoint[];
};
export type KnownPeers = Pick<Discovery, 'getProcessors' | 'getTools' | 'listRefused'>;

export const readKnown = (discovery: KnownPeers): KnownProcessors => ({
  processors: discovery.getProcessors(),
  tools: discovery.getTools(),
  refused: discovery.listRefused(),
});

/** One use of a processor in a list. An entry in two lists has two uses and one name. */
export type ProcessorUse = PlacedEntry & {
  list: ListName;
  found: DiscoveredProcessor;
  given: ListedEntry['entry'];
  group?: string | undefined;
  overlap?: 'model' | undefined;
};

/** Finds a processor by its id, or by a name that other frameworks use for it. */
export function findProcessor(name: string, { processors }: KnownProcessors): DiscoveredProcessor | undefined {
  return processors.get(name) ?? [...processors.values()].find(({ descriptor }) => descriptor.aliases.includes(name));
}

/** Returns the id for a name, or the name itself if no processor has it. */
export const getProcessorId = (name: string, known: KnownProcessors): string =>
  findProcessor(name, known)?.descriptor.id ?? name;

export function resolveUse(
  { list, path, entry, group, overlap }: ListedEntry,
  known: KnownProcessors,
): { use: ProcessorUse } | { issue: Issue } {
  const found = findProcessor(entry.use, known);
  if (!found) {
    const { message, remedy } = createMissingIssue('processor', entry.use, [...known.processors.keys()], known.refused);
    return { issue: { code: 'processor-unknown', message, path, remedy } };
  }
  const { descriptor } = found;
  if (!descriptor.stages.some((stage) => listStagesOfList(list).includes(stage))) {
    const message = `"${descriptor.id}" has no stage of the ${list} list; it has ${descriptor.stages.join(', ')}.`;
    const remedy = `List it under ${descriptor.lists.join(' or ')}.`;
    return { issue: { code: 'entry-without-stage', message, path, remedy } };
  }
  const after = entry.after === undefined ? undefined : getProcessorId(entry.after, known);
  const before = entry.before === undefined ? undefined : getProcessorId(entry.before, known);
  const name = entry.as ?? descriptor.id;
  const isMemory = readMemoryKey(descriptor.id, descriptor) !== undefined;
  const placed = { list, path, name, processor: descriptor.id, isMemory, after, before };
  return { use: { ...placed, found, given: entry, group, overlap } };
}

/** Returns the options of the first use that has any. */
export function collectOptions(uses: readonly ProcessorUse[]): JsonObject {
  return uses.map((one) => one.given.options).find((options) => options !== undefined) ?? {};
}

/** Adds the options that an agent applied from now on gets; a stored plan keeps its own. */
export function addNewDefaults(
  { newDefaults }: Pick<ProcessorDescriptor, 'newDefaults'>,
  options: JsonObject,
): JsonObject {
  return newDefaults && !Object.hasOwn(options, newDefaults.unless) ? { ...newDefaults.options, ...options } : options;
}

/** Maximum number of available names in a refusal. */
const MAX_NAMES = 40;

/** Builds message and remedy for a name that no service serves. */
export function createMissingIssue(
  what: 'processor' | 'tool',
  name: string,
  there: readonly string[],
  refused: readonly RefusedEndpoint[],
): { message: string; remedy: string } {
  const own = refused.find((one) => one.name === name);
  if (own) {
    return {
      message: `The ${what} "${name}" is advertised but refused: ${own.problem} (service ${own.service}).`,
      remedy: 'Correct it in the service, and start the service again.',
    };
  }
  const names = there.toSorted();
  const rest = names.length - MAX_NAMES;
  const listed = `${names.slice(0, MAX_NAMES).join(', ') || 'none'}${rest > 0 ? ` and ${rest} more` : ''}`;
  return {
    message: suggestName(`No running service has a ${what} "${name}".`, name, names),
    remedy: `Start its service, or choose an available one: ${listed}.`,
  };
}

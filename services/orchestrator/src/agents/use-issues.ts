// Checks entries that are valid individually: colliding names, invalid options, contradicting uses of one entry. Pure.
import { readMemoryKey, type Issue } from '@millrace/contracts';
import { collectOptions, type ProcessorUse } from './entry-uses.ts';
import { findOptionIssues, type GivenOptions } from './option-issues.ts';

export function findUseIssues(uses: readonly ProcessorUse[]): Issue[] {
  return [
    ...findDuplicates(uses),
    ...findOptionIssues(keepFirstUses(uses).map((first) => collectGivenOptions(first, uses))),
    ...findDiffering(uses),
    ...findConditional(uses),
  ];
}

function findDuplicates(uses: readonly ProcessorUse[]): Issue[] {
  return uses.flatMap((one, at) => {
    const twin = uses
      .slice(0, at)
      .find((other) => other.name === one.name && (other.list === one.list || other.processor !== one.processor));
    if (!twin) return [];
    const message = `"${one.name}" is the name of two entries (${twin.path} and ${one.path}).`;
    return [
      {
        code: 'entry-duplicate' as const,
        message,
        path: one.path,
        remedy: 'Choose another name for one of them with `as`.',
      },
    ];
  });
}

/** Checks an entry in two lists once. */
function keepFirstUses(uses: readonly ProcessorUse[]): ProcessorUse[] {
  return uses.filter((one, at) => uses.findIndex((other) => other.name === one.name) === at);
}

function collectGivenOptions(first: ProcessorUse, uses: readonly ProcessorUse[]): GivenOptions {
  const { found, path } = uses.find((one) => one.name === first.name && one.given.options !== undefined) ?? first;
  const options = collectOptions(uses.filter((one) => one.name === first.name));
  const { id: processor, optionsSchema: schema } = found.descriptor;
  return { processor, schema, options, place: path, path: path.includes('[') ? `${path}.options` : path };
}

/** Fields that an entry has once, whatever its lists are. */
const SHARED = ['options', 'timeoutMs', 'attempts', 'onFailure'] as const;

/** A processor in two lists is one entry: fields that are set twice must be equal. */
function findDiffering(uses: readonly ProcessorUse[]): Issue[] {
  return uses.flatMap((one, at) => {
    const first = uses.slice(0, at).find((other) => other.name === one.name && other.list !== one.list);
    if (!first) return [];
    return SHARED.filter((key) => isDifferent(first.given[key], one.given[key])).map((key) => ({
      code: key === 'options' ? ('options-invalid' as const) : ('agent-invalid' as const),
      message: `"${one.name}" has a different ${key} at ${first.path} than at ${one.path}, but is one entry.`,
      path: one.path,
      remedy: `Set ${key} once, or name one of the two with \`as\`.`,
    }));
  });
}

/**
 * Fields that decide whether an entry is called and whether its verdict counts must be set at each of its uses: set at
 * one, they would silently disarm the other. `effect`: for an entry that is `required`.
 */
const CONDITIONS = [
  { key: 'when', effect: 'would skip it' },
  { key: 'observe', effect: 'would let everything pass that it stops' },
  { key: 'replaceable', effect: 'would let a list of the caller replace it' },
] as const;

function findConditional(uses: readonly ProcessorUse[]): Issue[] {
  return keepFirstUses(uses).flatMap((first) => {
    const own = uses.filter(({ name }) => name === first.name);
    return CONDITIONS.flatMap((condition) => findConditionIssues(condition, own));
  });
}

function findConditionIssues({ key, effect }: (typeof CONDITIONS)[number], uses: readonly ProcessorUse[]): Issue[] {
  const one = uses.find(({ given }) => given[key] !== undefined && given[key] !== false);
  if (!one) return [];
  const path = `${one.path}.${key}`;
  const refuse = (message: string, remedy: string): Issue[] => [{ code: 'agent-invalid', message, path, remedy }];
  const other = uses.find(({ given }) => JSON.stringify(given[key]) !== JSON.stringify(one.given[key]));
  if (other)
    return refuse(
      `"${one.name}" has a different \`${key}\` at ${other.path} than at ${one.path}, but is one entry.`,
      'Set the same value at both, or name one of the two with `as`.',
    );
  const isMemory = readMemoryKey(one.processor, one.found.descriptor) !== undefined;
  if (key === 'observe' && isMemory)
    return refuse(`"${one.name}" cannot observe, because its purpose is to change and store.`, 'Remove `observe`.');
  if (key === 'replaceable' && isMemory)
    return refuse(`"${one.name}" cannot be replaced, because memory stays in every run.`, 'Remove `replaceable`.');
  if (!uses.some(({ given }) => given.required === true)) return [];
  return refuse(`"${one.name}" is required, and \`${key}\` ${effect}.`, 'Remove one of the two.');
}

function isDifferent(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && JSON.stringify(one) !== JSON.stringify(other);
}

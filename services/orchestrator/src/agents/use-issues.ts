// What is wrong with entries that are each right for themselves: names that collide, options that do not fit, uses of one entry
// that contradict each other. Pure.
import type { Issue } from '@millrace/contracts';
import { optionsOf, type Use } from './entry-uses.ts';
import { isMemoryProcessor } from './memory-entries.ts';
import { optionIssues, type GivenOptions } from './option-issues.ts';

export function useIssues(uses: readonly Use[]): Issue[] {
  return [
    ...duplicates(uses),
    ...optionIssues(firstUses(uses).map((first) => givenOptions(first, uses))),
    ...differing(uses),
    ...conditional(uses),
  ];
}

function duplicates(uses: readonly Use[]): Issue[] {
  return uses.flatMap((one, at) => {
    const twin = uses
      .slice(0, at)
      .find((other) => other.name === one.name && (other.list === one.list || other.processor !== one.processor));
    if (!twin) return [];
    const message = `"${one.name}" is the name of two entries (${twin.path} and ${one.path}).`;
    return [
      { code: 'entry-duplicate' as const, message, path: one.path, remedy: 'Give one of them another name with `as`.' },
    ];
  });
}

/** An entry that stands in two lists is looked at once. */
function firstUses(uses: readonly Use[]): Use[] {
  return uses.filter((one, at) => uses.findIndex((other) => other.name === one.name) === at);
}

function givenOptions(first: Use, uses: readonly Use[]): GivenOptions {
  const { found, path } = uses.find((one) => one.name === first.name && one.given.options !== undefined) ?? first;
  const options = optionsOf(uses.filter((one) => one.name === first.name));
  const { id: processor, optionsSchema: schema } = found.descriptor;
  return { processor, schema, options, place: path, path: path.includes('[') ? `${path}.options` : path };
}

/** What an entry has once, whatever lists it stands in. */
const SHARED = ['options', 'timeoutMs', 'attempts', 'onFailure'] as const;

/** A processor that stands in two lists is one entry: what is given twice must be the same. */
function differing(uses: readonly Use[]): Issue[] {
  return uses.flatMap((one, at) => {
    const first = uses.slice(0, at).find((other) => other.name === one.name && other.list !== one.list);
    if (!first) return [];
    return SHARED.filter((key) => differ(first.given[key], one.given[key])).map((key) => ({
      code: key === 'options' ? ('options-invalid' as const) : ('agent-invalid' as const),
      message: `"${one.name}" has another ${key} at ${first.path} than at ${one.path}, but is one entry.`,
      path: one.path,
      remedy: `Give ${key} once, or name one of the two with \`as\`.`,
    }));
  });
}

/**
 * What decides whether an entry is called, and whether what it says counts, is said at each of its uses: said at one, it would disarm the
 * other in silence.
 */
const CONDITIONS = ['when', 'observe'] as const;

function conditional(uses: readonly Use[]): Issue[] {
  return firstUses(uses).flatMap((first) => {
    const own = uses.filter(({ name }) => name === first.name);
    return CONDITIONS.flatMap((key) => conditionIssues(key, own));
  });
}

function conditionIssues(key: (typeof CONDITIONS)[number], uses: readonly Use[]): Issue[] {
  const one = uses.find(({ given }) => given[key] !== undefined && given[key] !== false);
  if (!one) return [];
  const path = `${one.path}.${key}`;
  const refuse = (message: string, remedy: string): Issue[] => [{ code: 'agent-invalid', message, path, remedy }];
  const other = uses.find(({ given }) => JSON.stringify(given[key]) !== JSON.stringify(one.given[key]));
  if (other)
    return refuse(
      `"${one.name}" has another \`${key}\` at ${other.path} than at ${one.path}, but is one entry.`,
      'Say the same at both, or name one of the two with `as`.',
    );
  if (key === 'observe' && isMemoryProcessor(one.processor))
    return refuse(`"${one.name}" cannot observe: it is there for what it changes and stores.`, 'Remove `observe`.');
  if (!uses.some(({ given }) => given.required === true)) return [];
  const why = key === 'when' ? 'would leave it out' : 'would let everything pass that it stops';
  return refuse(`"${one.name}" is required, and \`${key}\` ${why}.`, 'Remove one of the two.');
}

function differ(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && JSON.stringify(one) !== JSON.stringify(other);
}

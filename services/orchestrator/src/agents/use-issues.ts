// What is wrong with entries that are each right for themselves: names that collide, options that do not fit, uses of one entry
// that contradict each other. Pure.
import type { Issue } from '@millrace/contracts';
import { optionsOf, type Use } from './entry-uses.ts';
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

/** What decides whether an entry is called at all is said at each of its uses: said at one, it would leave the other out in silence. */
function conditional(uses: readonly Use[]): Issue[] {
  return firstUses(uses).flatMap((first): Issue[] => {
    const own = uses.filter(({ name }) => name === first.name);
    const one = own.find(({ given }) => given.when !== undefined);
    if (!one) return [];
    const path = `${one.path}.when`;
    const other = own.find(({ given }) => JSON.stringify(given.when) !== JSON.stringify(one.given.when));
    if (other) {
      const message = `"${one.name}" has another \`when\` at ${other.path} than at ${one.path}, but is one entry.`;
      return [
        { code: 'agent-invalid', message, path, remedy: 'Say the same at both, or name one of the two with `as`.' },
      ];
    }
    if (!own.some(({ given }) => given.required === true)) return [];
    const message = `"${one.name}" is required, and \`when\` would leave it out.`;
    return [{ code: 'agent-invalid', message, path, remedy: 'Remove one of the two.' }];
  });
}

function differ(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && JSON.stringify(one) !== JSON.stringify(other);
}

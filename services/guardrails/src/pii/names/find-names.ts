// Where the values that a model has listed stand in a text. A value that does not stand there word for word is no value: what a model
// makes up, or is talked into, changes nothing.
import { BOUNDS, BoundExceeded } from '../../guard/bounds.ts';
import type { Hit } from '../../guard/report.ts';
import type { Named } from './name-question.ts';

/** Code units: "Al" is a name, a letter is none. */
const MIN_VALUE = 2;
const hasLetter = /\p{L}/u;
/** What stands in the place of personal data that was found before. */
const mark = /\[[A-Z_]+[\]_:]|\*{3}@/;
const special = /[\\^$.*+?()[\]{}|/]/g;

export type FindNames = (text: string) => Hit[];

/** Finds all of them in one pass, the longest first; in order, not overlapping. The finder throws BoundExceeded. */
export function createNameFinder({ found }: Named, allow: readonly string[]): FindNames {
  const types = new Map(found.map(({ type, value }) => [value.trim(), type]));
  const values = [...types.keys()].filter((value) => isValue(value) && !allow.includes(value.toLowerCase()));
  if (values.length === 0) return () => [];
  const longest = values.toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(longest.map(asWhole).join('|'), 'gu');
  return (text) => {
    const hits: Hit[] = [];
    for (const { 0: value, index } of text.matchAll(pattern)) {
      hits.push({ rule: types.get(value) ?? 'name', start: index, end: index + value.length });
      if (hits.length > BOUNDS.hits) throw new BoundExceeded('hits');
    }
    return hits;
  };
}

const isValue = (value: string): boolean => value.length >= MIN_VALUE && hasLetter.test(value) && !mark.test(value);

/** "Ann" does not stand in "Annual"; in a script without capitals, or without spaces, nothing is apart. */
function asWhole(value: string): string {
  const before = /^[\p{Lu}\p{Ll}\p{N}]/u.test(value) ? String.raw`(?<![\p{L}\p{N}])` : '';
  const after = /[\p{Lu}\p{Ll}\p{N}]$/u.test(value) ? String.raw`(?![\p{L}\p{N}])` : '';
  return before + value.replaceAll(special, String.raw`\$&`) + after;
}

// Where the values that a model has listed stand in a text. A value that does not stand there word for word is no value: what a model
// makes up, or is talked into, changes nothing.
import { BOUNDS, BoundExceeded } from '../../guard/bounds.ts';
import type { Hit } from '../../guard/report.ts';
import { mergeOverlapping } from '../../text/span.ts';
import type { Named } from './name-question.ts';

/** Code units: "Al" is a name, a letter is none. */
const MIN_VALUE = 2;
const hasLetter = /\p{L}/u;
/** What stands in the place of personal data that was found before. */
const mark = /\[[A-Z_]+[\]_:]|\*{3}@/;
const letter = /[\p{L}\p{N}]/u;

/** In order, not overlapping. @throws BoundExceeded */
export function findNames(text: string, { found }: Named, allow: readonly string[]): Hit[] {
  const hits: Hit[] = [];
  for (const { type, value: given } of found) {
    const value = given.trim();
    if (value.length < MIN_VALUE || !hasLetter.test(value) || mark.test(value) || allow.includes(value.toLowerCase()))
      continue;
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      if (!isWhole(text, at, at + value.length)) continue;
      hits.push({ rule: type, start: at, end: at + value.length });
      if (hits.length > BOUNDS.hits) throw new BoundExceeded('hits');
    }
  }
  return mergeOverlapping(hits);
}

/** "Ann" does not stand in "Annual"; in a script without spaces nothing is apart. */
function isWhole(text: string, start: number, end: number): boolean {
  const joins = (one: string, other: string) =>
    letter.test(one) && letter.test(other) && /\p{Lu}|\p{Ll}/u.test(one + other);
  return !joins(text.charAt(start - 1), text.charAt(start)) && !joins(text.charAt(end - 1), text.charAt(end));
}

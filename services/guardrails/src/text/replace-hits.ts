// Replaces hits by marks. In JSON text a number becomes a quoted mark, so that the result parses.
import { isBetweenStrings, readOn, type JsonPlace } from './json-place.ts';
import type { TextSpan } from './span.ts';

/** `token`: the whole JSON number that contains the hit, with sign, fraction and exponent. */
export type Replaceable = TextSpan & { token?: TextSpan };

/** @param hits in order, not overlapping @param place JSON position of the text's start; read to its end */
export function replaceHits<H extends Replaceable>(
  text: string,
  hits: readonly H[],
  getMark: (hit: H) => string,
  place: JsonPlace,
): string {
  let result = '';
  let from = 0;
  for (const hit of hits) {
    readOn(place, text, from, hit.start);
    const beginsOutside = isBetweenStrings(place);
    const start = beginsOutside ? (hit.token ?? hit).start : hit.start;
    readOn(place, text, Math.max(from, hit.start), hit.end);
    const endsOutside = isBetweenStrings(place);
    const end = endsOutside ? (hit.token ?? hit).end : hit.end;
    readOn(place, text, Math.max(from, hit.end), end);
    // If one token has two hits, the first has replaced the whole token.
    if (end > from) result += text.slice(from, start) + quoteMark(getMark(hit), beginsOutside, endsOutside);
    from = Math.max(from, end);
  }
  readOn(place, text, from, text.length);
  return result + text.slice(from);
}

/** A hit may span several members of a list; the mark then gets the quotes that it removes. */
function quoteMark(mark: string, beginsOutside: boolean, endsOutside: boolean): string {
  if (!beginsOutside && !endsOutside) return mark;
  const inside = JSON.stringify(mark).slice(1, -1);
  return (beginsOutside ? '"' : '') + inside + (endsOutside ? '"' : '');
}

const inToken = /[\w.+-]/;

/** Returns the stretch around a span up to white space or punctuation. */
export function findToken(text: string, { start, end }: TextSpan): TextSpan {
  let first = start;
  let last = end;
  while (first > 0 && inToken.test(text.charAt(first - 1))) first -= 1;
  while (last < text.length && inToken.test(text.charAt(last))) last += 1;
  return { start: first, end: last };
}

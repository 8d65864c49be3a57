// A text with marks in the place of hits. In a text that is JSON, a number becomes a quoted mark, so that what is left parses.
import { isBetweenStrings, readOn, type JsonPlace } from './json-place.ts';
import type { Span } from './span.ts';

/** `token`: where it stands in a JSON number, the whole of that: sign, fraction and exponent go with it. */
export type Replaceable = Span & { token?: Span };

/** @param hits in order, not overlapping @param place where the text begins; read on to its end */
export function replaceHits<H extends Replaceable>(
  text: string,
  hits: readonly H[],
  markOf: (hit: H) => string,
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
    // Two hits in one token: the first has taken all of it.
    if (end > from) result += text.slice(from, start) + quoted(markOf(hit), beginsOutside, endsOutside);
    from = Math.max(from, end);
  }
  readOn(place, text, from, text.length);
  return result + text.slice(from);
}

/** A hit may go over several members of a list: it has the quotes that it takes away. */
function quoted(mark: string, beginsOutside: boolean, endsOutside: boolean): string {
  if (!beginsOutside && !endsOutside) return mark;
  const inside = JSON.stringify(mark).slice(1, -1);
  return (beginsOutside ? '"' : '') + inside + (endsOutside ? '"' : '');
}

const inToken = /[\w.+-]/;

/** What stands around a stretch without white space or punctuation between. */
export function tokenAround(text: string, { start, end }: Span): Span {
  let first = start;
  let last = end;
  while (first > 0 && inToken.test(text.charAt(first - 1))) first -= 1;
  while (last < text.length && inToken.test(text.charAt(last))) last += 1;
  return { start: first, end: last };
}

// Finds the ends of sentences. A match that crosses one usually joins two unrelated thoughts.
import { toSticky } from '../../../text/find-matches.ts';
import type { TextSpan } from '../../../text/span.ts';

/**
 * One mark and a space, or a full stop of a script without spaces. Dots in a row are a pause, and a lower-case letter
 * starts no sentence.
 */
const mark =
  /(?<=[^\s.!?])[.!?;\u061f\u06d4\u0964]["'\u201d\u2019)\]]{0,2}(?=\s)(?!\s+[^\p{L}\p{N}\s]{0,4}\p{Ll})|[\u3002\uff01\uff1f]/gu;
/** Minimum number of words in a sentence, so that a mark after every word ends nothing. */
const MIN_WORDS = 3;
/** Number of characters that count as a word in scripts without spaces. */
const UNSPACED_WORD = 2;
const word = /[\p{L}\p{N}]{2,}/gu;
const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/g;

/** Units with which a mark starts. */
const MARKS = new Set(Array.from('.!?;\u061f\u06d4\u0964\u3002\uff01\uff1f', (sign) => sign.charCodeAt(0)));
const markHere = toSticky(mark);
/** Distance before a span from which its ends depend on no earlier mark: MAX_LOOKED_AT and the length of two marks. */
const REACH = 210;

/**
 * Returns a function that returns whether a sentence ends inside of a span. It reads the text around a span, and the whole text as soon as
 * the spans together are as long as it.
 */
export function createEndSearch(text: string): (span: TextSpan) => boolean {
  let ends: readonly number[] | undefined;
  let read = 0;
  return (span) => {
    read += span.end - span.start + REACH;
    if (read > text.length) ends ??= findSentenceEnds(text);
    return ends ? isAcrossEnd(span, ends) : hasEndInside(text, span);
  };
}

function hasEndInside(text: string, { start, end }: TextSpan): boolean {
  let from = Math.max(0, start - REACH);
  for (let at = from; at < end; at++) {
    if (!MARKS.has(text.charCodeAt(at))) continue;
    markHere.lastIndex = at;
    const found = markHere.exec(text);
    if (!found) continue;
    const next = at + found[0].length;
    if (next > start && next < end && hasWords(text.slice(from, at))) return true;
    from = next;
  }
  return false;
}

/** Returns ascending places. */
export function findSentenceEnds(text: string): number[] {
  const ends: number[] = [];
  let from = 0;
  for (const { index, 0: found } of text.matchAll(mark)) {
    const end = index + found.length;
    if (hasWords(text.slice(from, index))) ends.push(end);
    from = end;
  }
  return ends;
}

/** Returns whether the text has MIN_WORDS words. */
function hasWords(text: string): boolean {
  const some = text.length > MAX_LOOKED_AT ? text.slice(-MAX_LOOKED_AT) : text;
  word.lastIndex = 0;
  for (let count = 1; word.test(some); count++) if (count >= MIN_WORDS) return true;
  const others = some.match(unspaced)?.length ?? 0;
  return others > 0 && (some.match(word)?.length ?? 0) + Math.floor(others / UNSPACED_WORD) >= MIN_WORDS;
}
/** Length of text that contains three words, if there are any. */
const MAX_LOOKED_AT = 200;

/** Returns whether a sentence ends inside the span. */
export function isAcrossEnd({ start, end }: TextSpan, ends: readonly number[]): boolean {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return (ends[low] ?? Number.POSITIVE_INFINITY) < end;
}

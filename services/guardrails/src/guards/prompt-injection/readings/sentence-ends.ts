// Finds the ends of sentences. A match that crosses one usually joins two unrelated thoughts.
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

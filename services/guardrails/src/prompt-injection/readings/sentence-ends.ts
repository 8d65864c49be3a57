// Where one sentence ends and the next begins. What a rule finds over such a place is as a rule the end of one thought and the beginning of another.
import type { Span } from '../../text/span.ts';

/** One mark and a space, or a full stop of a script without spaces. Dots in a row are a pause, and with a small letter behind it no sentence begins. */
const mark =
  /(?<=[^\s.!?])[.!?;\u061f\u06d4\u0964]["'\u201d\u2019)\]]{0,2}(?=\s)(?!\s+[^\p{L}\p{N}\s]{0,4}\p{Ll})|[\u3002\uff01\uff1f]/gu;
/** Fewer words are no sentence: a mark behind every word parts nothing. */
const MIN_WORDS = 3;
/** Characters that stand for a word where no spaces do. */
const UNSPACED_WORD = 2;
const word = /[\p{L}\p{N}]{2,}/gu;
const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/g;

/** Ascending. */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = [];
  let from = 0;
  for (const { index, 0: found } of text.matchAll(mark)) {
    const end = index + found.length;
    if (wordsIn(text.slice(from, index)) >= MIN_WORDS) ends.push(end);
    from = end;
  }
  return ends;
}

function wordsIn(text: string): number {
  const some = text.length > MAX_LOOKED_AT ? text.slice(-MAX_LOOKED_AT) : text;
  return (some.match(word)?.length ?? 0) + Math.floor((some.match(unspaced)?.length ?? 0) / UNSPACED_WORD);
}
/** So much of a text has three words, if it has any. */
const MAX_LOOKED_AT = 200;

/** Whether a sentence ends inside. */
export function crossesEnd({ start, end }: Span, ends: readonly number[]): boolean {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return (ends[low] ?? Number.POSITIVE_INFINITY) < end;
}

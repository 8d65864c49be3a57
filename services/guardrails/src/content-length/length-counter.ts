// Counts a text that comes in pieces, in code points or in graphemes (what a reader takes for one character), whatever the pieces:
// a surrogate pair or an emoji sequence that two pieces share counts once.
export const UNITS = ['codePoints', 'graphemes'] as const;
export type Unit = (typeof UNITS)[number];

/** `tail`: the end of the text so far that what follows may still change, already in `count`. */
export type Counted = { count: number; tail: string };
export const nothingCounted: Counted = { count: 0, tail: '' };

/** A grapheme may have any number of marks; a longer one counts as several, code units. */
const MAX_TAIL = 256;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function countMore({ count, tail }: Counted, text: string, unit: Unit): Counted {
  if (text === '') return { count, tail };
  return unit === 'codePoints' ? countCodePoints(count, tail, text) : countGraphemes(count, tail, text);
}

export const lengthOf = (text: string, unit: Unit): number => countMore(nothingCounted, text, unit).count;

/** The tail is a first half of a pair. */
function countCodePoints(count: number, tail: string, text: string): Counted {
  const joined = tail + text;
  let points = joined.length;
  for (let at = 1; at < joined.length; at++) {
    if (isSecondHalf(joined.charCodeAt(at)) && isFirstHalf(joined.charCodeAt(at - 1))) points -= 1;
  }
  return { count: count - tail.length + points, tail: halfAtEnd(joined) };
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The tail is the last grapheme, and half a pair after it, which may still join it. */
function countGraphemes(count: number, tail: string, text: string): Counted {
  const joined = tail + text;
  const half = halfAtEnd(joined);
  let graphemes = 0;
  let last = '';
  for (const { segment } of segmenter.segment(joined.slice(0, joined.length - half.length))) {
    graphemes += 1;
    last = segment;
  }
  const before = tail.length > halfAtEnd(tail).length ? 1 : 0;
  return { count: count - before + graphemes, tail: (last.length > MAX_TAIL ? '' : last) + half };
}

const halfAtEnd = (text: string): string => (isFirstHalf(text.charCodeAt(text.length - 1)) ? text.slice(-1) : '');

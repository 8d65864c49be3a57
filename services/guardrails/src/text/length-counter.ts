// Counts code points or graphemes (characters as a reader sees them) of a text that arrives in pieces. A surrogate pair or an emoji
// sequence that is cut between two pieces counts once.
import { countGraphemes, graphemeSegments } from 'unicode-segmenter/grapheme';

export const UNITS = ['codePoints', 'graphemes'] as const;
export type LengthUnit = (typeof UNITS)[number];

/** `kept`: end of the text so far, which `count` includes and the next piece may extend. */
export type CountedLength = { count: number; kept: string };
export const nothingCounted: CountedLength = { count: 0, kept: '' };

/**
 * Code units of a grapheme that are kept between two pieces. The stream-safe text format allows 30 marks, and a family emoji has 25
 * units. A longer grapheme that is cut may count twice.
 */
const MAX_KEPT = 64;

export function countMore({ count, kept }: CountedLength, text: string, unit: LengthUnit): CountedLength {
  const joined = kept + text;
  return { count: count + countLength(joined, unit) - countLength(kept, unit), kept: endToKeep(joined, unit) };
}

export function countLength(text: string, unit: LengthUnit): number {
  if (unit === 'graphemes') return countGraphemes(text);
  let count = text.length;
  for (let at = 1; at < text.length; at++)
    if (isSecondHalf(text.charCodeAt(at)) && isFirstHalf(text.charCodeAt(at - 1))) count -= 1;
  return count;
}

/** Returns the last grapheme before a half pair at the end, and the half pair. */
function endToKeep(text: string, unit: LengthUnit): string {
  const whole = isFirstHalf(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
  if (unit === 'codePoints') return text.slice(whole.length);
  const start = findLastGrapheme(whole);
  const from = whole.length - MAX_KEPT;
  if (from <= start) return text.slice(start);
  return text.slice(isSecondHalf(text.charCodeAt(from)) ? from + 1 : from);
}

/**
 * Segments only from the last printable ASCII character on, because earlier text has no influence on later graphemes.
 */
function findLastGrapheme(text: string): number {
  let from = Math.max(0, text.length - 1);
  while (from > 0 && !isPrintableAscii(text.charCodeAt(from))) from -= 1;
  let start = 0;
  for (const { index } of graphemeSegments(text.slice(from))) start = index;
  return from + start;
}

const isPrintableAscii = (unit: number): boolean => unit >= 0x20 && unit < 0x7f;
const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

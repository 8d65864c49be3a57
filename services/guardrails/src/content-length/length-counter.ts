// Counts a text that comes in pieces, in code points or in graphemes (what a reader takes for one character), whatever the pieces:
// a surrogate pair or an emoji sequence that two pieces share counts once.
import { AT_START, nextGrapheme } from './count-graphemes.ts';

export const UNITS = ['codePoints', 'graphemes'] as const;
export type Unit = (typeof UNITS)[number];

/** `half`: the first half of a pair at the end of the text so far, in `count` already; `state`: of what stands before it (graphemes). */
export type Counted = { count: number; half: string; state: number };
export const nothingCounted: Counted = { count: 0, half: '', state: AT_START };

export function countMore(before: Counted, text: string, unit: Unit): Counted {
  if (text === '') return before;
  const joined = before.half + text;
  const half = halfAtEnd(joined);
  const end = joined.length - half.length;
  let count = before.count - halfCount(before, unit);
  let { state } = before;
  for (let at = 0; at < end; at++) {
    const codePoint = joined.codePointAt(at) ?? 0;
    if (codePoint > 0xffff) at += 1;
    if (unit === 'codePoints') count += 1;
    else {
      const next = nextGrapheme(state, codePoint);
      state = next.state;
      if (next.begins) count += 1;
    }
  }
  return { count: count + halfCount({ half, state }, unit), half, state };
}

export const lengthOf = (text: string, unit: Unit): number => countMore(nothingCounted, text, unit).count;

/** What half a pair counts while nothing follows it. */
function halfCount({ half, state }: Omit<Counted, 'count'>, unit: Unit): number {
  if (half === '') return 0;
  return unit === 'codePoints' || nextGrapheme(state, half.charCodeAt(0)).begins ? 1 : 0;
}

const halfAtEnd = (text: string): string => (isFirstHalf(text.charCodeAt(text.length - 1)) ? text.slice(-1) : '');
const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

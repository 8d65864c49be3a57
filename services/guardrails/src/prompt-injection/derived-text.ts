// A text made from another one that knows where its parts came from, so that what is found in it can be shown, or cut, there.
import type { Span } from '../text/span.ts';

export type DerivedText = {
  text: string;
  /** Where a stretch of the derived text stands in the source. */
  spanOf(span: Span): Span;
};

/** `at`: the place in the derived text. */
type Piece = Span & { at: number; length: number };

/** Every match replaced. */
export function replacing(text: string, pattern: RegExp, replacement: (match: RegExpExecArray) => string): DerivedText {
  const pieces: Piece[] = [];
  let result = '';
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const decoded = replacement(match);
    result += text.slice(from, match.index);
    from = match.index + match[0].length;
    pieces.push({ start: match.index, end: from, at: result.length, length: decoded.length });
    result += decoded;
  }
  return {
    text: result + text.slice(from),
    spanOf: ({ start, end }) => ({
      start: unitSource(pieces, start).start,
      end: unitSource(pieces, Math.max(start, end - 1)).end,
    }),
  };
}

/** How far from a replaced stretch the text is still of interest, code units: no phrase and no markup is longer. */
const REACH = 512;

/** As `replacing`, but the surroundings of the matches only: a long text with few of them is not judged as a whole again. */
export function replacingNear(
  text: string,
  pattern: RegExp,
  replacement: (match: RegExpExecArray) => string,
): DerivedText[] {
  return surroundings(text, pattern).map(({ start, end }) => {
    const derived = replacing(text.slice(start, end), pattern, replacement);
    return { text: derived.text, spanOf: (span) => shifted(derived.spanOf(span), start) };
  });
}

function surroundings(text: string, pattern: RegExp): Span[] {
  const spans: Span[] = [];
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const last = spans.at(-1);
    const end = Math.min(index + found.length + REACH, text.length);
    if (last && index - REACH <= last.end) last.end = end;
    else spans.push({ start: lineStart(text, Math.max(index - REACH, 0)), end });
  }
  return spans;
}

/** A role counts at the start of a line: the surroundings begin with a whole one, where one begins near. */
function lineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at) + 1;
  return at - start <= REACH ? start : at;
}

const shifted = ({ start, end }: Span, by: number): Span => ({ start: start + by, end: end + by });

/** Where one unit of the derived text came from. */
function unitSource(pieces: readonly Piece[], place: number): Span {
  const piece = pieces.findLast((candidate) => candidate.at <= place) ?? { start: 0, end: 0, at: 0, length: 0 };
  const past = place - piece.at - piece.length;
  return past < 0 ? piece : { start: piece.end + past, end: piece.end + past + 1 };
}

/** All of it came from one stretch. */
export const fromStretch = (text: string, span: Span): DerivedText => ({ text, spanOf: () => span });

/** Each unit came from the unit at the same place. */
export const inStep = (text: string): DerivedText => ({ text, spanOf: (span) => span });

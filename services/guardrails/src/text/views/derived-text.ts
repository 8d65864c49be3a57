// A text made from another one that knows where its parts came from, so that what is found in it can be shown, or cut, there.
import type { Span } from '../span.ts';

export type DerivedText = {
  text: string;
  /** Where a stretch of the derived text stands in the source. */
  spanOf(span: Span): Span;
};

/** A stretch of the derived text, from `at`, and where it came from. What stands between pieces came over unit by unit. */
type Piece = Span & { at: number; length: number };

/** Every match replaced; the same text where there is none. */
export function replacing(text: string, pattern: RegExp, replacement: (match: RegExpExecArray) => string): DerivedText {
  const pieces: Piece[] = [];
  const result: string[] = [];
  let length = 0;
  let from = 0;
  const add = (more: string) => {
    length += more.length;
    result.push(more);
  };
  for (const match of text.matchAll(pattern)) {
    const decoded = replacement(match);
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    pieces.push({ start: match.index, end: from, at: length, length: decoded.length });
    add(decoded);
  }
  if (pieces.length === 0) return inStep(text);
  add(text.slice(from));
  return { text: result.join(''), spanOf: spanIn(pieces) };
}

/** Stretches one after the other, each of which came from one place; nothing is between them but `separator`. */
export function gathering(stretches: readonly { text: string; span: Span }[], separator: string): DerivedText {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { text, span } of stretches) {
    // The separator after it is its own too.
    pieces.push({ ...span, at, length: text.length + separator.length });
    at += text.length + separator.length;
  }
  return { text: stretches.map(({ text }) => text).join(separator), spanOf: spanIn(pieces) };
}

/** Slices of the source one after the other. */
export function slicing(text: string, spans: readonly Span[], separator: string): DerivedText {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    // Nothing of the source, at the place where the slice begins: what follows it is in step.
    pieces.push({ start, end: start, at, length: 0 });
    at += end - start + separator.length;
  }
  return { text: spans.map(({ start, end }) => text.slice(start, end)).join(separator), spanOf: spanIn(pieces) };
}

const spanIn =
  (pieces: readonly Piece[]) =>
  ({ start, end }: Span): Span => {
    const first = unitSource(pieces, start);
    const last = unitSource(pieces, Math.max(start, end - 1));
    return { start: Math.min(first.start, last.start), end: Math.max(first.end, last.end) };
  };

/** Where one unit of the derived text came from. */
function unitSource(pieces: readonly Piece[], place: number): Span {
  const piece = pieces[lastAt(pieces, place)] ?? { start: 0, end: 0, at: 0, length: 0 };
  const past = place - piece.at - piece.length;
  return past < 0 ? { start: piece.start, end: piece.end } : { start: piece.end + past, end: piece.end + past + 1 };
}

/** The last piece that begins at `place` or before it; -1 where none does. */
function lastAt(pieces: readonly Piece[], place: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.at ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Each unit came from the unit at the same place. */
export const inStep = (text: string, offset = 0): DerivedText => ({
  text,
  spanOf: ({ start, end }) => ({ start: start + offset, end: end + offset }),
});

/** What came from a text that itself came from another one. */
export const within = (outer: DerivedText, inner: DerivedText): DerivedText => ({
  text: inner.text,
  spanOf: (span) => outer.spanOf(inner.spanOf(span)),
});

// A text derived from another one, with a map to the source, so that a hit can be reported or cut there.
import type { TextSpan } from '../span.ts';

export type DerivedText = {
  text: string;
  /** Maps a span of the derived text to the source. */
  toSourceSpan(span: TextSpan): TextSpan;
};

/** Part of the derived text from `at`, with its source span. Text between pieces maps unit by unit. */
type Piece = TextSpan & { at: number; length: number };

/** Replaces every match; returns the same text if there is none. */
export const replaceMatches = (
  text: string,
  pattern: RegExp,
  replacement: (match: RegExpExecArray) => string,
): DerivedText => replaceFound(text, text.matchAll(pattern), replacement);

/** @param matches in order, without overlap */
export function replaceFound(
  text: string,
  matches: Iterable<RegExpExecArray>,
  replacement: (match: RegExpExecArray) => string,
): DerivedText {
  const pieces: Piece[] = [];
  const result: string[] = [];
  let length = 0;
  let from = 0;
  const add = (more: string) => {
    length += more.length;
    result.push(more);
  };
  for (const match of matches) {
    const decoded = replacement(match);
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    pieces.push({ start: match.index, end: from, at: length, length: decoded.length });
    add(decoded);
  }
  if (pieces.length === 0) return copyText(text);
  add(text.slice(from));
  return { text: result.join(''), toSourceSpan: mapSpan(pieces) };
}

/** A text with its source span. */
export type Stretch = { text: string; span: TextSpan };

/** Joins stretches, separated by `separator`. */
export function joinStretches(stretches: readonly Stretch[], separator: string): DerivedText {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { text, span } of stretches) {
    // The following separator belongs to the piece.
    pieces.push({ ...span, at, length: text.length + separator.length });
    at += text.length + separator.length;
  }
  return { text: stretches.map(({ text }) => text).join(separator), toSourceSpan: mapSpan(pieces) };
}

/** Joins slices of the source. */
export function joinSlices(text: string, spans: readonly TextSpan[], separator: string): DerivedText {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    // An empty source span at the start of the slice, so that the text after it maps unit by unit.
    pieces.push({ start, end: start, at, length: 0 });
    at += end - start + separator.length;
  }
  return { text: spans.map(({ start, end }) => text.slice(start, end)).join(separator), toSourceSpan: mapSpan(pieces) };
}

const mapSpan =
  (pieces: readonly Piece[]) =>
  ({ start, end }: TextSpan): TextSpan => {
    const first = findUnitSource(pieces, start);
    const last = findUnitSource(pieces, Math.max(start, end - 1));
    return { start: Math.min(first.start, last.start), end: Math.max(first.end, last.end) };
  };

/** Returns the source span of one unit of the derived text. */
function findUnitSource(pieces: readonly Piece[], place: number): TextSpan {
  const piece = pieces[findLastAt(pieces, place)] ?? { start: 0, end: 0, at: 0, length: 0 };
  const past = place - piece.at - piece.length;
  return past < 0 ? { start: piece.start, end: piece.end } : { start: piece.end + past, end: piece.end + past + 1 };
}

/** Returns the index of the last piece that starts at or before `place`, or -1. */
function findLastAt(pieces: readonly Piece[], place: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.at ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Maps each unit to the unit at the same place. */
export const copyText = (text: string, offset = 0): DerivedText => ({
  text,
  toSourceSpan: ({ start, end }) => ({ start: start + offset, end: end + offset }),
});

/** Maps a text derived from a derived text to the first source. */
export const chainViews = (outer: DerivedText, inner: DerivedText): DerivedText => ({
  text: inner.text,
  toSourceSpan: (span) => outer.toSourceSpan(inner.toSourceSpan(span)),
});

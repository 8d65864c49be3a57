// Spans of text and operations on them. Offsets are UTF-16 code units; `end` is exclusive.
export type TextSpan = { start: number; end: number };

/** Merges overlapping spans into one with the type of the longest. In the order of their start. */
export function mergeOverlapping<S extends TextSpan>(spans: readonly S[]): S[] {
  const merged: { span: S; longest: number }[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const length = span.end - span.start;
    const last = merged.at(-1);
    if (!last || span.start >= last.span.end) {
      merged.push({ span, longest: length });
      continue;
    }
    const kind = length > last.longest ? span : last.span;
    last.span = { ...kind, start: last.span.start, end: Math.max(last.span.end, span.end) };
    last.longest = Math.max(length, last.longest);
  }
  return merged.map(({ span }) => span);
}

/**
 * Returns the number of code units that the spans cover. @param spans in order, not overlapping, because a binary
 * search finds the first
 */
export function countCovered({ start, end }: TextSpan, spans: readonly TextSpan[]): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  let covered = 0;
  for (let at = low; (spans[at]?.start ?? end) < end; at++) {
    const span = spans[at];
    if (span) covered += Math.min(end, span.end) - Math.max(start, span.start);
  }
  return covered;
}

/** @param spans in order, not overlapping */
export function replaceSpans<S extends TextSpan>(
  text: string,
  spans: readonly S[],
  replacement: (span: S) => string,
): string {
  let result = '';
  let from = 0;
  for (const span of spans) {
    result += text.slice(from, span.start) + replacement(span);
    from = span.end;
  }
  return result + text.slice(from);
}

/**
 * Returns the nearest place at or before `at` that does not split a surrogate pair, because half a character cannot be
 * serialized.
 */
export function alignToCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at;
}

/** Yields the text in pieces of at most `length` code units without splitting surrogate pairs. */
export function* sliceText(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = Math.max(alignToCharacter(text, start + length), start + 1);
    yield text.slice(start, end);
    start = end;
  }
}

/** Returns the last `length` code units without splitting a character. */
export function takeEnd(text: string, length: number): string {
  return length === 0 ? '' : text.slice(alignToCharacter(text, Math.max(0, text.length - length)));
}

export const shiftSpan = ({ start, end }: TextSpan, by: number): TextSpan => ({ start: start + by, end: end + by });

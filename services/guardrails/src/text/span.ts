// Stretches of text and what may be done with them. Offsets are UTF-16 code units, `end` is the first one that is not in it.
export type Span = { start: number; end: number };

/** Spans that overlap become one, which is what the longest of them was. In order of their start. */
export function mergeOverlapping<S extends Span>(spans: readonly S[]): S[] {
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

/** How many code units of it stand in these. @param spans in order, not overlapping: the first that may touch is looked up */
export function coveredBy({ start, end }: Span, spans: readonly Span[]): number {
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
export function replaceSpans<S extends Span>(
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

/** The nearest place at or before `at` that does not part a surrogate pair: half a character cannot travel. */
export function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at;
}

/** The text in pieces of at most `length` code units, surrogate pairs whole. */
export function* slicesOf(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = Math.max(wholeCharacter(text, start + length), start + 1);
    yield text.slice(start, end);
    start = end;
  }
}

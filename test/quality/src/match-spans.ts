// Matches found spans with labels. One hit matches one label of the same type if both share at least half of the text
// that either covers.
import type { FoundSpan, FoundSpans } from './read-verdicts.ts';
import type { LabelledSpan } from './sample.ts';
import { toSpanType } from './span-types.ts';

const MIN_SHARED = 0.5;

export type SpanMatch = { found: FoundSpan[]; missed: FoundSpan[]; wrong: FoundSpan[] };

export function matchSpans(labelled: readonly LabelledSpan[], { spans, unlisted }: FoundSpans): SpanMatch {
  const left = new Set(spans);
  const found: FoundSpan[] = [];
  const missed: FoundSpan[] = [];
  for (const { start, end, type: name } of labelled) {
    const label = { start, end, type: toSpanType(name) };
    const hit = [...left].find((one) => one.type === label.type && measureOverlap(one, label) >= MIN_SHARED);
    if (hit) left.delete(hit);
    (hit ? found : missed).push(label);
  }
  // Assumes that unlisted hits match labels without a listed hit.
  for (const [type, count] of unlisted) {
    for (let given = 0; given < count; given++) {
      const at = missed.findLastIndex((label) => label.type === type);
      if (at >= 0) found.push(...missed.splice(at, 1));
    }
  }
  return { found, missed, wrong: [...left] };
}

function measureOverlap(one: FoundSpan, other: FoundSpan): number {
  const both = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  const either = Math.max(one.end, other.end) - Math.min(one.start, other.start);
  return both / either;
}

// Which of the labelled spans were found, and which of the found ones are labelled. One hit answers one span: of the same type, and
// what both cover is at least half of what either covers. Pure.
import type { FoundSpan, FoundSpans } from './guards.ts';
import type { LabelledSpan } from './sample.ts';
import { spanType } from './span-types.ts';

const MIN_SHARED = 0.5;

export type SpanMatch = { found: FoundSpan[]; missed: FoundSpan[]; wrong: FoundSpan[] };

export function matchSpans(labelled: readonly LabelledSpan[], { spans, unlisted }: FoundSpans): SpanMatch {
  const left = new Set(spans);
  const found: FoundSpan[] = [];
  const missed: FoundSpan[] = [];
  for (const { start, end, type: name } of labelled) {
    const label = { start, end, type: spanType(name) };
    const hit = [...left].find((one) => one.type === label.type && sharedPart(one, label) >= MIN_SHARED);
    if (hit) left.delete(hit);
    (hit ? found : missed).push(label);
  }
  // What was counted and not listed is taken to be what was not found among the listed ones.
  for (const [type, count] of unlisted) {
    for (let given = 0; given < count; given++) {
      const at = missed.findLastIndex((label) => label.type === type);
      if (at >= 0) found.push(...missed.splice(at, 1));
    }
  }
  return { found, missed, wrong: [...left] };
}

function sharedPart(one: FoundSpan, other: FoundSpan): number {
  const both = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  const either = Math.max(one.end, other.end) - Math.min(one.start, other.start);
  return both / either;
}

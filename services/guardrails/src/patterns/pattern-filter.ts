// Matches patterns on a streamed text. A match has no known end, so the text is judged in stretches that are cut
// outside of matches: a match has at most MAX_STRETCH code units, and the filter buffers that much. As with segments,
// the end of a stretch does not depend on text before its start or after its end.
import { fold } from '../text/fold.ts';
import type { TextPattern } from '../text/linear-pattern.ts';
import { mergeOverlapping, alignToCharacter, type TextSpan } from '../text/span.ts';

/** Code units. */
export const MAX_STRETCH = 512;
const CUT = MAX_STRETCH / 2;

type Pattern = Pick<TextPattern, 'find'>;

/** Returns ordered matches without overlap, each with its pattern. */
export function findPatterns<P extends Pattern>(patterns: readonly P[], text: string): (TextSpan & { pattern: P })[] {
  const view = fold(text);
  const hits: (TextSpan & { pattern: P })[] = [];
  for (let start = 0; start < view.length;) {
    const end = findStretchEnd(patterns, view, start) ?? view.length;
    for (const hit of findPatternHits(patterns, view.slice(start, end))) {
      hits.push({ ...hit, start: hit.start + start, end: hit.end + start });
    }
    start = end;
  }
  return hits;
}

/** Returns the length of the prefix that no later text can change, in code units. */
export function findSettledPatternEnd(patterns: readonly Pattern[], text: string): number {
  if (text.length < MAX_STRETCH) return 0;
  const view = fold(text);
  let settled = 0;
  for (let end = findStretchEnd(patterns, view, 0); end !== undefined; end = findStretchEnd(patterns, view, end))
    settled = end;
  return settled;
}

const findPatternHits = <P extends Pattern>(patterns: readonly P[], view: string) =>
  mergeOverlapping(patterns.flatMap((pattern) => pattern.find(view).map((span) => ({ ...span, pattern }))));

function findStretchEnd(patterns: readonly Pattern[], view: string, start: number): number | undefined {
  if (view.length - start < MAX_STRETCH) return undefined;
  const stretch = view.slice(start, start + MAX_STRETCH);
  return start + findCutPlace(stretch, findPatternHits(patterns, stretch));
}

/**
 * Cuts after a space, to preserve word boundaries; before a match that covers the place, or after a match that covers
 * the start.
 */
function findCutPlace(stretch: string, hits: readonly TextSpan[]): number {
  const space = stretch.slice(0, CUT).search(/\s\S*$/);
  const place = space > 0 ? space + 1 : moveOutOfEscape(stretch, alignToCharacter(stretch, CUT));
  const hit = hits.find((span) => span.start < place && place < span.end);
  if (!hit) return place;
  return hit.start > 0 ? hit.start : hit.end;
}

function moveOutOfEscape(stretch: string, place: number): number {
  return stretch.slice(0, place).replace(/\\+$/, '').length || place;
}

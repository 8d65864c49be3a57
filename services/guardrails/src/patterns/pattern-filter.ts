// Patterns on a text that comes in pieces. Nobody can say where a match of any pattern may still end, so the text is judged in
// stretches, cut where no match stands: a match is at most MAX_STRETCH long, and that much is held back. Like the segments of
// personal data, a stretch ends where nothing before its start and nothing after its end decides.
import { fold } from '../text/fold.ts';
import type { LinearPattern } from '../text/linear-pattern.ts';
import { mergeOverlapping, wholeCharacter, type Span } from '../text/span.ts';

/** Code units. */
export const MAX_STRETCH = 512;
const CUT = MAX_STRETCH / 2;

type Pattern = Pick<LinearPattern, 'find'>;

/** In order, not overlapping, each with the pattern that it is a match of. */
export function findPatterns<P extends Pattern>(patterns: readonly P[], text: string): (Span & { pattern: P })[] {
  const view = fold(text);
  const hits: (Span & { pattern: P })[] = [];
  for (let start = 0; start < view.length;) {
    const end = stretchEnd(patterns, view, start) ?? view.length;
    for (const hit of hitsIn(patterns, view.slice(start, end))) {
      hits.push({ ...hit, start: hit.start + start, end: hit.end + start });
    }
    start = end;
  }
  return hits;
}

/** How much of `text` is decided whatever follows, code units. */
export function settledByPatterns(patterns: readonly Pattern[], text: string): number {
  if (text.length < MAX_STRETCH) return 0;
  const view = fold(text);
  let settled = 0;
  for (let end = stretchEnd(patterns, view, 0); end !== undefined; end = stretchEnd(patterns, view, end)) settled = end;
  return settled;
}

const hitsIn = <P extends Pattern>(patterns: readonly P[], view: string) =>
  mergeOverlapping(patterns.flatMap((pattern) => pattern.find(view).map((span) => ({ ...span, pattern }))));

function stretchEnd(patterns: readonly Pattern[], view: string, start: number): number | undefined {
  if (view.length - start < MAX_STRETCH) return undefined;
  const stretch = view.slice(start, start + MAX_STRETCH);
  return start + cutPlace(stretch, hitsIn(patterns, stretch));
}

/** After a space, so that a word boundary stays one; before the match that stands there, or after one from the start. */
function cutPlace(stretch: string, hits: readonly Span[]): number {
  const space = stretch.slice(0, CUT).search(/\s\S*$/);
  const place = space > 0 ? space + 1 : notInEscape(stretch, wholeCharacter(stretch, CUT));
  const hit = hits.find((span) => span.start < place && place < span.end);
  if (!hit) return place;
  return hit.start > 0 ? hit.start : hit.end;
}

function notInEscape(stretch: string, place: number): number {
  return stretch.slice(0, place).replace(/\\+$/, '').length || place;
}

// A text with its personal data replaced, and how far a text that still comes in can be judged: the two halves of the stream's
// filter. Both walk the same segments, which is what makes them agree.
import { fold } from '../text/fold.ts';
import { replaceSpans } from '../text/span.ts';
import { createDetect, mayHoldPii, type DetectOptions } from './detect.ts';
import type { PiiHit } from './pii-types.ts';
import { segmentEnd, type CutPlace } from './segments.ts';

/** @param replacement gets the hit, at its place in `text`, and the value that stands there */
export function mapHits(
  text: string,
  options: DetectOptions,
  replacement: (hit: PiiHit, value: string) => string,
): string {
  const folded = fold(text);
  if (!mayHoldPii(folded)) return text;
  const detect = createDetect(options);
  const hits: PiiHit[] = [];
  for (let start = 0; start < folded.length;) {
    const end = segmentEnd(folded, start, detect.cutPlace) ?? folded.length;
    for (const hit of detect.hits(folded.slice(start, end))) {
      hits.push({ ...hit, start: hit.start + start, end: hit.end + start });
    }
    start = end;
  }
  return replaceSpans(text, hits, (hit) => replacement(hit, text.slice(hit.start, hit.end)));
}

/** How much of `text` can be judged whatever follows: all but its last segment. */
export function settledLength(text: string, options: DetectOptions): number {
  const folded = fold(text);
  const cutPlace: CutPlace = (window, at) => createDetect(options).cutPlace(window, at);
  let settled = 0;
  for (let end = segmentEnd(folded, 0, cutPlace); end !== undefined; end = segmentEnd(folded, end, cutPlace))
    settled = end;
  return settled;
}

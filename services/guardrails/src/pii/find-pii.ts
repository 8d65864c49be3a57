// The personal data in texts: the segments of each, judged one by one. A text that comes in pieces is cut into the same segments
// (settledLength), which is what makes the stream and the whole agree.
import { createCounter } from '../guard/bounds.ts';
import type { Hit } from '../guard/report.ts';
import { fold } from '../text/fold.ts';
import { tokenAround } from '../text/replace-hits.ts';
import type { Span } from '../text/span.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { createDetect, mayHoldPii, type Detect, type DetectOptions } from './detect.ts';
import { segmentEnd, type CutPlace } from './segments.ts';

/** In order, not overlapping, the type as their rule; one list for each text. Bounded for all texts of a call together. */
export const preparePii: PrepareJudge<DetectOptions, Hit[][]> = (options) => (texts) => {
  let detect: Detect | undefined;
  const count = createCounter('hits');
  return texts.map((text) => {
    const folded = fold(text);
    if (!mayHoldPii(folded)) return [[]];
    detect ??= createDetect(options);
    const hits: Hit[] = [];
    for (let start = 0; start < folded.length;) {
      const end = segmentEnd(folded, start, detect.cutPlace) ?? folded.length;
      const segment = folded.slice(start, end);
      for (const hit of detect.hits(segment)) {
        count();
        hits.push({ rule: hit.type, ...moved(hit, start), token: moved(tokenAround(segment, hit), start) });
      }
      start = end;
    }
    return [hits];
  });
};

const moved = ({ start, end }: Span, by: number): Span => ({ start: start + by, end: end + by });

/** How much of `text` can be judged whatever follows: all but its last segment. */
export function settledLength(text: string, options: DetectOptions): number {
  const folded = fold(text);
  const cutPlace: CutPlace = (window, at) => createDetect(options).cutPlace(window, at);
  let settled = 0;
  for (let end = segmentEnd(folded, 0, cutPlace); end !== undefined; end = segmentEnd(folded, end, cutPlace))
    settled = end;
  return settled;
}

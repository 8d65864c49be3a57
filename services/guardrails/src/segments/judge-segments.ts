// The hits in texts: the segments of each, judged one by one. A text that comes in pieces is cut into the same segments, which is
// what makes the stream and the whole agree.
import { createCounter } from '../guard/bounds.ts';
import type { Hit } from '../guard/report.ts';
import { tokenAround } from '../text/replace-hits.ts';
import type { Span } from '../text/span.ts';
import type { Judge } from '../work/task-outcome.ts';
import { plainView } from './plain-view.ts';
import { eachSegment, type SegmentRules } from './segment-end.ts';

type Segmented = {
  segments: SegmentRules;
  /** Whether it is worth a look. @param view of a segment */
  mayHold(view: string): boolean;
  /** Not overlapping, in order; places in the view of a segment. */
  hits(view: string): (Span & Pick<Hit, 'rule' | 'detail'>)[];
};

/** In order, not overlapping; one list for each text. Bounded for all texts of a call together. */
export const judgeSegments =
  ({ segments, mayHold, hits }: Segmented): Judge<Hit[][]> =>
  (texts) => {
    const count = createCounter('hits');
    return texts.map((text) => {
      const found: Hit[] = [];
      eachSegment(segments, text, (start, end) => {
        const view = plainView(text.slice(start, end));
        if (!mayHold(view.text)) return;
        for (const hit of hits(view.text)) {
          count();
          const token = moved(view.spanOf(tokenAround(view.text, hit)), start);
          found.push({ ...hit, ...moved(view.spanOf(hit), start), token });
        }
      });
      return [found];
    });
  };

const moved = ({ start, end }: Span, by: number): Span => ({ start: start + by, end: end + by });

/** Before the hit that covers `at`; after it where hits cover everything from the start. */
export function freePlace(hits: readonly (Span & { contextStart?: number })[], at: number): number {
  const begin = (hit: Span & { contextStart?: number }) => hit.contextStart ?? hit.start;
  const covering = (place: number) => hits.find((hit) => begin(hit) < place && place < hit.end);
  let place = at;
  for (let hit = covering(place); hit; hit = covering(place)) place = begin(hit);
  if (place > 0) return place;
  place = at;
  for (let hit = covering(place); hit; hit = covering(place)) place = hit.end;
  return place;
}

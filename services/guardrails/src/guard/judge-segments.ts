// Finds hits segment by segment. A streamed text is cut into the same segments, so the stream and the whole text have
// the same hits.
import { createCounter } from '../work/bounds.ts';
import type { GuardHit } from './report.ts';
import { findToken } from '../text/replace-hits.ts';
import { shiftSpan, type TextSpan } from '../text/span.ts';
import type { TaskJudge } from '../work/define-task.ts';
import { createPlainView } from '../segments/plain-view.ts';
import {
  forEachSegment,
  type SegmentRules,
  createScan,
  findSettledLength,
  type SegmentScan,
} from '../segments/segment-end.ts';
import type { JsonObject } from '@millrace/contracts';
import type { StreamRule } from './text-guard.ts';

type SegmentedJudge = {
  segments: SegmentRules;
  /** Returns whether the segment may contain a hit. @param view of a segment */
  mayHold(view: string): boolean;
  /** Returns ordered hits without overlap; places in the view of a segment. */
  findHits(view: string): (TextSpan & Pick<GuardHit, 'rule' | 'detail'>)[];
};

/** Returns ordered hits without overlap, one list per text. The bound applies to all texts of a call together. */
export const judgeSegments =
  ({ segments, mayHold, findHits: hits }: SegmentedJudge): TaskJudge<GuardHit[][]> =>
  (texts) => {
    const count = createCounter('hits');
    return texts.map((text) => {
      const found: GuardHit[] = [];
      forEachSegment(segments, text, (start, end) => {
        const view = createPlainView(text.slice(start, end));
        if (!mayHold(view.text)) return;
        for (const hit of hits(view.text)) {
          count();
          const token = shiftSpan(view.toSourceSpan(findToken(view.text, hit)), start);
          found.push({ ...hit, ...shiftSpan(view.toSourceSpan(hit), start), token });
        }
      });
      return [found];
    });
  };

/** Returns the place before the hit that covers `at`, or after it if hits cover everything from the start. */
export function findFreePlace(hits: readonly (TextSpan & { contextStart?: number })[], at: number): number {
  const getContextStart = (hit: TextSpan & { contextStart?: number }) => hit.contextStart ?? hit.start;
  const findCovering = (place: number) => hits.find((hit) => getContextStart(hit) < place && place < hit.end);
  let place = at;
  for (let hit = findCovering(place); hit; hit = findCovering(place)) place = getContextStart(hit);
  if (place > 0) return place;
  place = at;
  for (let hit = findCovering(place); hit; hit = findCovering(place)) place = hit.end;
  return place;
}

/**
 * Creates the rule that cuts a stream into the same segments. The state of a segment's scan is stored with the buffered
 * text.
 */
export const createSegmentRule = (rules: SegmentRules, find: (text: string) => GuardHit[]): StreamRule => ({
  heldIn: 'held',
  placesIn: 'places',
  find,
  findSettledEnd(text, noted) {
    const { length, scan } = findSettledLength(rules, text, scanIn(noted));
    noted['scan'] = scan;
    return length;
  },
});

function scanIn(noted: JsonObject): SegmentScan {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `settled` alone, under this very key
  return (noted['scan'] as SegmentScan | undefined) ?? createScan();
}

// How the stream is judged where a text is cut into segments: what a segment's scan has read is noted with the held text.
import type { JsonObject } from '@millrace/contracts';
import { newScan, settledLength, type Scan, type SegmentRules } from '../segments/segment-end.ts';
import type { Hit } from './report.ts';
import type { StreamRule } from './text-guard.ts';

export const segmentRule = (rules: SegmentRules, find: (text: string) => Hit[]): StreamRule => ({
  heldIn: 'held',
  placesIn: 'places',
  find,
  settled(text, noted) {
    const { length, scan } = settledLength(rules, text, scanIn(noted));
    noted['scan'] = scan;
    return length;
  },
});

function scanIn(noted: JsonObject): Scan {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `settled` alone, under this very key
  return (noted['scan'] as Scan | undefined) ?? newScan();
}

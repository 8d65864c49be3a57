// The personal data in texts: the segments of each, judged one by one. A text that comes in pieces is cut into the same segments,
// which is what makes the stream and the whole agree.
import { createCounter } from '../guard/bounds.ts';
import type { Hit } from '../guard/report.ts';
import { plainView } from '../segments/plain-view.ts';
import { eachSegment } from '../segments/segment-end.ts';
import { tokenAround } from '../text/replace-hits.ts';
import type { Span } from '../text/span.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { createDetect, mayHoldPii, type DetectOptions } from './detect.ts';
import { piiSegments } from './pii-segments.ts';

/** In order, not overlapping, the type as their rule; one list for each text. Bounded for all texts of a call together. */
export const preparePii: PrepareJudge<DetectOptions, Hit[][]> = (options) => {
  const detect = createDetect(options);
  const rules = piiSegments(detect.cutPlace);
  return (texts) => {
    const count = createCounter('hits');
    return texts.map((text) => {
      const hits: Hit[] = [];
      eachSegment(rules, text, (start, end) => {
        const segment = text.slice(start, end);
        const view = plainView(segment);
        if (!mayHoldPii(view.text)) return;
        for (const hit of detect.hits(view.text)) {
          count();
          const token = view.spanOf(tokenAround(view.text, hit));
          hits.push({ rule: hit.type, ...moved(view.spanOf(hit), start), token: moved(token, start) });
        }
      });
      return [hits];
    });
  };
};

const moved = ({ start, end }: Span, by: number): Span => ({ start: start + by, end: end + by });

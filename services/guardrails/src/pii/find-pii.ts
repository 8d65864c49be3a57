// The personal data in texts, the type as the rule of a hit.
import type { Hit } from '../guard/report.ts';
import { judgeSegments } from '../segments/judge-segments.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { createDetect, mayHoldPii, type DetectOptions } from './detect.ts';
import { piiSegments } from './pii-segments.ts';

export const preparePii: PrepareJudge<DetectOptions, Hit[][]> = (options) => {
  const { hits, cutPlace } = createDetect(options);
  return judgeSegments({
    segments: piiSegments(cutPlace),
    mayHold: mayHoldPii,
    hits: (view) => hits(view).map(({ type, start, end }) => ({ rule: type, start, end })),
  });
};

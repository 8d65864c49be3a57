// Finds personal data in texts; the rule of a hit is its type.
import type { GuardHit } from '../../guard/report.ts';
import { judgeSegments } from '../../guard/judge-segments.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';
import { createDetect, mayHoldPii, type PiiDetectOptions } from './detect.ts';
import { createPiiSegments } from './pii-segments.ts';

export const preparePii: PrepareJudge<PiiDetectOptions, GuardHit[][]> = (options) => {
  const { findHits, findCutPlace } = createDetect(options);
  return judgeSegments({
    segments: createPiiSegments(findCutPlace),
    mayHold: mayHoldPii,
    findHits: (view) => findHits(view).map(({ type, start, end }) => ({ rule: type, start, end })),
  });
};

export const piiTask = defineTask(import.meta.url, preparePii);

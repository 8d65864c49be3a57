// The secrets in texts, by rule; which provider's it is stands in the detail.
import type { Hit } from '../guard/report.ts';
import { judgeSegments } from '../segments/judge-segments.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { createDetectSecrets, mayHoldSecret, type DetectSecretsOptions } from './detect-secrets.ts';
import { secretSegments } from './secret-segments.ts';

export const prepareSecrets: PrepareJudge<DetectSecretsOptions, Hit[][]> = (options) => {
  const { hits, cutPlace } = createDetectSecrets(options);
  return judgeSegments({
    segments: secretSegments(cutPlace),
    mayHold: mayHoldSecret,
    hits: (view) => hits(view).map(({ contextStart: _, ...hit }) => hit),
  });
};

// Finds secrets in texts by rule; the detail names the provider.
import type { GuardHit } from '../../guard/report.ts';
import { judgeSegments } from '../../guard/judge-segments.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';
import { createDetectSecrets, mayHoldSecret, type DetectSecretsOptions } from './detect-secrets.ts';
import { createSecretSegments } from './secret-segments.ts';

export const prepareSecrets: PrepareJudge<DetectSecretsOptions, GuardHit[][]> = (options) => {
  const { findHits, findCutPlace } = createDetectSecrets(options);
  return judgeSegments({
    segments: createSecretSegments(findCutPlace),
    mayHold: mayHoldSecret,
    findHits: (view) => findHits(view).map(({ contextStart: _, ...hit }) => hit),
  });
};

export const secretTask = defineTask(import.meta.url, prepareSecrets);

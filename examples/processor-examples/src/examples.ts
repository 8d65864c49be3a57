// All of them.
import { contentFilter } from './content-filter.ts';
import { dynamicModel } from './dynamic-model.ts';
import { errorRecovery } from './error-recovery.ts';
import { lowercase } from './lowercase.ts';
import { moderationCollector } from './moderation-collector.ts';
import { qualityGuard } from './quality-guard.ts';
import { reasoningFilter } from './reasoning-filter.ts';
import { wordCounter } from './word-counter.ts';

export const examples = [
  lowercase,
  dynamicModel,
  reasoningFilter,
  contentFilter,
  wordCounter,
  errorRecovery,
  qualityGuard,
  moderationCollector,
];

// The processors of this service. A new one is a folder beside these, its test, and a line here.
import type { ProcessorDefinition } from '@millrace/processor';
import { approvalGate } from './approval-gate/approval-gate.ts';
import { batchParts } from './batch-parts/batch-parts.ts';
import { contentLength } from './content-length/content-length.ts';
import { costGuard } from './cost-guard/cost-guard.ts';
import { language } from './language/language.ts';
import { keyword } from './keyword/keyword.ts';
import { maxToolCalls } from './max-tool-calls/max-tool-calls.ts';
import { moderation } from './moderation/moderation.ts';
import { NO_MODELS, type GuardModels } from './model/guard-models.ts';
import { piiWith } from './pii/pii.ts';
import { promptInjectionWith } from './prompt-injection/prompt-injection.ts';
import { responseCache } from './response-cache/response-cache.ts';
import { responseValidator } from './response-validator/response-validator.ts';
import { tokenLimiter } from './token-limiter/token-limiter.ts';
import { toolAllowList } from './tool-allow-list/tool-allow-list.ts';
import { toolCallFilter } from './tool-call-filter/tool-call-filter.ts';
import { regexFilter } from './regex-filter/regex-filter.ts';
import { secrets } from './secrets/secrets.ts';
import { systemPromptScrubber } from './system-prompt-scrubber/system-prompt-scrubber.ts';
import { NO_STORE, type GuardStore } from './store/guard-store.ts';
import { structuredOutput } from './structured-output/structured-output.ts';
import { unicodeNormalizer } from './unicode-normalizer/unicode-normalizer.ts';

/**
 * @param models what those ask that take a `model`
 * @param store where those keep what outlives a run
 */
export const createProcessors = (models: GuardModels, store: GuardStore = NO_STORE): ProcessorDefinition[] => [
  unicodeNormalizer,
  promptInjectionWith(models),
  piiWith(models),
  secrets,
  language(models),
  moderation(models),
  regexFilter,
  keyword,
  systemPromptScrubber,
  contentLength,
  tokenLimiter,
  responseValidator,
  maxToolCalls,
  toolCallFilter,
  toolAllowList,
  approvalGate,
  batchParts,
  structuredOutput,
  costGuard(store),
  responseCache(store),
];

/** What they say of themselves is the same whoever is asked. */
export const PROCESSORS: readonly ProcessorDefinition[] = createProcessors(NO_MODELS, NO_STORE);

// Lists the processors of this service. A new processor needs a folder with its test, an entry here, and one in testing/guard-cases.ts.
import type { ProcessorDefinition } from '@millrace/processor';
import { approvalGate } from './limits/approval-gate/approval-gate.ts';
import { environmentContext } from './context/environment-context/environment-context.ts';
import { argumentProcessor } from './context/argument-processor/argument-processor.ts';
import { memoryImport } from './context/memory-import/memory-import.ts';
import { toolInjection } from './limits/tool-injection/tool-injection.ts';
import { toolParameters } from './shape/tool-parameters/tool-parameters.ts';
import { toolValidation } from './limits/tool-validation/tool-validation.ts';
import { prefillErrorHandler } from './shape/prefill-error-handler/prefill-error-handler.ts';
import { batchParts } from './shape/batch-parts/batch-parts.ts';
import { contentLength } from './limits/content-length/content-length.ts';
import { defineContextCompaction } from './limits/context-compaction/context-compaction.ts';
import { defineCostGuard } from './limits/cost-guard/cost-guard.ts';
import { defineHttpGuard } from './guards/http-guard/http-guard.ts';
import { judge } from './guards/judge/judge.ts';
import { defineLanguage } from './guards/language/language.ts';
import { keyword } from './guards/keyword/keyword.ts';
import { loopDetection } from './limits/loop-detection/loop-detection.ts';
import { maxToolCalls } from './limits/max-tool-calls/max-tool-calls.ts';
import { defineModeration } from './guards/moderation/moderation.ts';
import { NO_ENDPOINTS, type GuardEndpoints } from './endpoints/guard-endpoints.ts';
import { createGuardModels, NO_MODELS, type GuardModels } from './model/guard-models.ts';
import { definePii } from './guards/pii/pii.ts';
import { definePromptInjection } from './guards/prompt-injection/prompt-injection.ts';
import { defineResponseCache } from './shape/response-cache/response-cache.ts';
import { responseValidator } from './guards/response-validator/response-validator.ts';
import { tokenLimiter } from './limits/token-limiter/token-limiter.ts';
import { toolAllowList } from './limits/tool-allow-list/tool-allow-list.ts';
import { toolCallFilter } from './shape/tool-call-filter/tool-call-filter.ts';
import { regexFilter } from './guards/regex-filter/regex-filter.ts';
import { defineRunLogger, NO_LOG, type StageLog } from './shape/run-logger/run-logger.ts';
import { secrets } from './guards/secrets/secrets.ts';
import { systemPromptScrubber } from './guards/system-prompt-scrubber/system-prompt-scrubber.ts';
import { NO_STORE, type GuardStore } from './store/guard-store.ts';
import { structuredOutput } from './shape/structured-output/structured-output.ts';
import { unicodeNormalizer } from './shape/unicode-normalizer/unicode-normalizer.ts';

/**
 * @param provider for processors with the option `model`; without a budget and a cache, they get their own
 * @param store for processors that store data beyond a run
 * @param endpoints of http-guard
 * @param log of run-logger
 */
export const createProcessors = (
  provider: Pick<GuardModels, 'generateObject'> & Partial<GuardModels>,
  store: GuardStore = NO_STORE,
  endpoints: GuardEndpoints = NO_ENDPOINTS,
  log: StageLog = NO_LOG,
): ProcessorDefinition[] => listProcessors({ models: createGuardModels(provider, provider), store, endpoints, log });

type ProcessorNeeds = { models: GuardModels; store: GuardStore; endpoints: GuardEndpoints; log: StageLog };

export const listProcessors = ({ models, store, endpoints, log }: ProcessorNeeds): ProcessorDefinition[] => [
  unicodeNormalizer,
  definePromptInjection(models),
  definePii(models),
  secrets,
  defineLanguage(models),
  defineModeration(models),
  judge(models),
  defineHttpGuard(endpoints),
  regexFilter,
  keyword,
  systemPromptScrubber,
  contentLength,
  tokenLimiter,
  defineContextCompaction(models),
  responseValidator,
  maxToolCalls,
  loopDetection,
  toolCallFilter,
  toolAllowList,
  environmentContext,
  argumentProcessor,
  memoryImport,
  toolInjection,
  toolParameters,
  toolValidation,
  prefillErrorHandler,
  approvalGate,
  batchParts,
  structuredOutput,
  defineCostGuard(store),
  defineResponseCache(store),
  defineRunLogger(log),
];

/** The definitions' metadata does not depend on the models and the store. */
export const PROCESSORS: readonly ProcessorDefinition[] = createProcessors(NO_MODELS, NO_STORE);

// Lists every guard with valid options for the conformance suites.
import type { ConformanceCase } from '@millrace/testkit';
import type { ProcessorDefinition } from '@millrace/processor';
import { approvalGate } from '../limits/approval-gate/approval-gate.ts';
import { environmentContext } from '../context/environment-context/environment-context.ts';
import { argumentProcessor } from '../context/argument-processor/argument-processor.ts';
import { memoryImport } from '../context/memory-import/memory-import.ts';
import { toolInjection } from '../limits/tool-injection/tool-injection.ts';
import { toolParameters } from '../shape/tool-parameters/tool-parameters.ts';
import { toolValidation } from '../limits/tool-validation/tool-validation.ts';
import { prefillErrorHandler } from '../shape/prefill-error-handler/prefill-error-handler.ts';
import { batchParts } from '../shape/batch-parts/batch-parts.ts';
import { contentLength } from '../limits/content-length/content-length.ts';
import { defineContextCompaction } from '../limits/context-compaction/context-compaction.ts';
import { defineCostGuard } from '../limits/cost-guard/cost-guard.ts';
import { defineHttpGuard } from '../guards/http-guard/http-guard.ts';
import { judge } from '../guards/judge/judge.ts';
import { defineLanguage } from '../guards/language/language.ts';
import { keyword } from '../guards/keyword/keyword.ts';
import { loopDetection } from '../limits/loop-detection/loop-detection.ts';
import { maxToolCalls } from '../limits/max-tool-calls/max-tool-calls.ts';
import { defineModeration } from '../guards/moderation/moderation.ts';
import { NO_MODELS } from '../model/guard-models.ts';
import { FIXED_ENDPOINTS } from './fixed-endpoints.ts';
import { FIXED_MODELS } from './judging-provider.ts';
import { promptInjection } from '../guards/prompt-injection/prompt-injection.ts';
import { defineResponseCache } from '../shape/response-cache/response-cache.ts';
import { responseValidator } from '../guards/response-validator/response-validator.ts';
import { NO_STORE } from '../store/guard-store.ts';
import { structuredOutput } from '../shape/structured-output/structured-output.ts';
import { tokenLimiter } from '../limits/token-limiter/token-limiter.ts';
import { toolAllowList } from '../limits/tool-allow-list/tool-allow-list.ts';
import { toolCallFilter } from '../shape/tool-call-filter/tool-call-filter.ts';
import { regexFilter } from '../guards/regex-filter/regex-filter.ts';
import { defineRunLogger, NO_LOG } from '../shape/run-logger/run-logger.ts';
import { secrets } from '../guards/secrets/secrets.ts';
import { systemPromptScrubber } from '../guards/system-prompt-scrubber/system-prompt-scrubber.ts';
import { unicodeNormalizer } from '../shape/unicode-normalizer/unicode-normalizer.ts';
import { pii } from '../guards/pii/pii.ts';
import type { JsonObject } from '@millrace/contracts';

const texts = ['Write to ada@example.com, card 4111 1111 1111 1111.', 'nothing to see', ''];

export const GUARD_CASES: readonly (readonly [ProcessorDefinition, ConformanceCase])[] = [
  [unicodeNormalizer, { options: [{}, { stripControlChars: true }] }],
  [promptInjection, { options: [{}, { strategy: 'rewrite' }] }],
  [pii, { options: [{}, { strategy: 'warn' }], texts }],
  [secrets, { options: [{}, { strategy: 'warn' }], texts }],
  [regexFilter, { options: [{ presets: ['email'], strategy: 'redact' }], texts }],
  [systemPromptScrubber, { options: [{}, { strategy: 'warn' }], texts }],
  [keyword, { options: [{ keywords: ['nightingale'], strategy: 'redact' }], texts }],
  [contentLength, { options: [{ maxOutput: 10_000 }] }],
  [tokenLimiter, { options: [{ limit: 4 }, { limit: 1_000, strategy: 'abort' }], texts }],
  [
    defineContextCompaction(FIXED_MODELS),
    {
      options: [
        { budget: 100, model: 'openai/x', keepRecent: 1 },
        { budget: 100, drop: true },
      ],
      texts,
    },
  ],
  [loopDetection, { options: [{}, { hintAfter: 1, endAfter: 1, maxPeriod: 1, response: 'Stuck.' }] }],
  [maxToolCalls, { options: [{}, { perStep: 1, strategy: 'block' }] }],
  [toolCallFilter, { options: [{}, { exclude: ['clock'] }] }],
  [environmentContext, { options: [{}, { locale: 'de', context: ['plan', 'runId'] }] }],
  [argumentProcessor, { options: [{}, { values: { plan: 'free' }, context: ['plan'], unknown: 'keep' }] }],
  [memoryImport, { options: [{}, { texts: { a: 'b' }, context: ['c'], strategy: 'block' }] }],
  [
    toolInjection,
    {
      options: [
        { rules: [{ tools: ['clock'], pattern: 'time' }] },
        { rules: [{ tools: ['*'], context: { key: 'a', equals: 1 } }] },
      ],
    },
  ],
  [
    toolParameters,
    { options: [{ rules: [{ tools: ['*'], remove: ['/a'], defaults: { '/b': 1 }, set: { '/c/d': [null] } }] }] },
  ],
  [
    toolValidation,
    {
      options: [
        { rules: [{ tools: ['*'], mustNotMatch: ['nightingale'] }] },
        { rules: [{ tools: ['*'], schema: { type: 'object', maxProperties: 0 }, reason: 'No.' }] },
      ],
    },
  ],
  [prefillErrorHandler, { options: [{}, { message: 'Go on.', patterns: ['busy'] }] }],
  [toolAllowList, { options: [{}, { allow: [] }] }],
  [approvalGate, { options: [{}, { tools: ['pay'], message: 'Sure?' }] }],
  [batchParts, { options: [{}, { batchSize: 1 }, { emitOnNonText: false }], texts }],
  [defineLanguage(NO_MODELS), { options: [{}, { strategy: 'translate', model: 'openai/x' }] }],
  [responseValidator, { options: [{}, { minLength: 100, sameLanguage: true }] }],
  [
    structuredOutput,
    {
      options: [{ schema: { type: 'object' } }, { schema: {}, strategy: 'fallback', maxRetries: 0 }],
    },
  ],
  [defineCostGuard(NO_STORE), { options: [{ maxCost: 1 }, { maxCost: 1, scope: 'tenant' }] }],
  [defineRunLogger(NO_LOG), { options: [{}, { contents: true, level: 'debug' }] }],
  [defineResponseCache(NO_STORE), { options: [{}, { scope: 'thread' }] }],
  [
    judge(FIXED_MODELS),
    {
      options: [
        { model: 'openai/x', question: 'Is it vile?' },
        { model: 'openai/x', question: 'Is it vile?', strategy: 'filter', window: 50 },
      ],
      texts,
    },
  ],
  [
    defineHttpGuard(FIXED_ENDPOINTS),
    { options: [{ endpoint: 'acme' }, { endpoint: 'acme', strategy: 'filter', window: 50 }], texts },
  ],
  [defineModeration(NO_MODELS), { options: [{ mode: 'words' }, { model: 'openai/x' }], texts }],
];

const REQUIRED: Record<string, JsonObject> = {
  'context-compaction': { budget: 100 },
  'cost-guard': { maxCost: 1 },
  'http-guard': { endpoint: 'acme' },
  judge: { model: 'openai/x', question: 'Is it vile?' },
  keyword: { keywords: ['x'] },
  moderation: { mode: 'words' },
  'regex-filter': { presets: ['email'] },
  'structured-output': { schema: { type: 'object' } },
  'token-limiter': { limit: 100 },
  'tool-injection': { rules: [{ tools: ['clock'], pattern: 'time' }] },
  'tool-parameters': { rules: [{ tools: ['*'], defaults: { '/limit': 1 } }] },
  'tool-validation': { rules: [{ tools: ['*'], mustNotMatch: ['x'] }] },
};

export const listRequiredOptions = (processorId: string): JsonObject => REQUIRED[processorId] ?? {};

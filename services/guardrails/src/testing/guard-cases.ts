// Every guard with options that fit it, for the suites that hold each guard to the contract of processors.
import type { ConformanceCase } from '@millrace/testkit';
import type { ProcessorDefinition } from '@millrace/processor';
import { approvalGate } from '../approval-gate/approval-gate.ts';
import { batchParts } from '../batch-parts/batch-parts.ts';
import { contentLength } from '../content-length/content-length.ts';
import { costGuard } from '../cost-guard/cost-guard.ts';
import { language } from '../language/language.ts';
import { keyword } from '../keyword/keyword.ts';
import { maxToolCalls } from '../max-tool-calls/max-tool-calls.ts';
import { moderation } from '../moderation/moderation.ts';
import { NO_MODELS } from '../model/guard-models.ts';
import { promptInjection } from '../prompt-injection/prompt-injection.ts';
import { responseCache } from '../response-cache/response-cache.ts';
import { responseValidator } from '../response-validator/response-validator.ts';
import { NO_STORE } from '../store/guard-store.ts';
import { structuredOutput } from '../structured-output/structured-output.ts';
import { tokenLimiter } from '../token-limiter/token-limiter.ts';
import { toolAllowList } from '../tool-allow-list/tool-allow-list.ts';
import { toolCallFilter } from '../tool-call-filter/tool-call-filter.ts';
import { regexFilter } from '../regex-filter/regex-filter.ts';
import { secrets } from '../secrets/secrets.ts';
import { systemPromptScrubber } from '../system-prompt-scrubber/system-prompt-scrubber.ts';
import { unicodeNormalizer } from '../unicode-normalizer/unicode-normalizer.ts';
import { pii } from '../pii/pii.ts';

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
  [maxToolCalls, { options: [{}, { perStep: 1, strategy: 'block' }] }],
  [toolCallFilter, { options: [{}, { exclude: ['clock'] }] }],
  [toolAllowList, { options: [{}, { allow: [] }] }],
  [approvalGate, { options: [{}, { tools: ['pay'], message: 'Sure?' }] }],
  [batchParts, { options: [{}, { batchSize: 1 }, { emitOnNonText: false }], texts }],
  [language(NO_MODELS), { options: [{}, { strategy: 'translate', model: 'openai/x' }] }],
  [responseValidator, { options: [{}, { minLength: 100, sameLanguage: true }] }],
  [
    structuredOutput,
    {
      options: [{ schema: { type: 'object' } }, { schema: {}, strategy: 'fallback', maxRetries: 0 }],
    },
  ],
  [costGuard(NO_STORE), { options: [{ maxCost: 1 }, { maxCost: 1, scope: 'tenant' }] }],
  [responseCache(NO_STORE), { options: [{}, { scope: 'thread' }] }],
  [moderation(NO_MODELS), { options: [{ mode: 'words' }, { model: 'openai/x' }], texts }],
];

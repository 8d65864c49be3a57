// Every guard keeps what every processor promises; texts are streamed whole and in pieces.
import { processorConformance } from '@millrace/testkit';
import { describe } from 'vitest';
import { approvalGate } from './approval-gate/approval-gate.ts';
import { batchParts } from './batch-parts/batch-parts.ts';
import { contentLength } from './content-length/content-length.ts';
import { costGuard } from './cost-guard/cost-guard.ts';
import { language } from './language/language.ts';
import { keyword } from './keyword/keyword.ts';
import { maxToolCalls } from './max-tool-calls/max-tool-calls.ts';
import { moderation } from './moderation/moderation.ts';
import { NO_MODELS } from './model/guard-models.ts';
import { pii, piiWith } from './pii/pii.ts';
import { promptInjection } from './prompt-injection/prompt-injection.ts';
import { responseCache } from './response-cache/response-cache.ts';
import { responseValidator } from './response-validator/response-validator.ts';
import { NO_STORE } from './store/guard-store.ts';
import { FIXED_MODELS } from './testing/fixed-models.ts';
import { structuredOutput } from './structured-output/structured-output.ts';
import { tokenLimiter } from './token-limiter/token-limiter.ts';
import { toolAllowList } from './tool-allow-list/tool-allow-list.ts';
import { toolCallFilter } from './tool-call-filter/tool-call-filter.ts';
import { regexFilter } from './regex-filter/regex-filter.ts';
import { secrets } from './secrets/secrets.ts';
import { systemPromptScrubber } from './system-prompt-scrubber/system-prompt-scrubber.ts';
import { unicodeNormalizer } from './unicode-normalizer/unicode-normalizer.ts';

const texts = ['Write to ada@example.com, card 4111 1111 1111 1111.', 'nothing to see', ''];

processorConformance(unicodeNormalizer, { options: [{}, { stripControlChars: true }] });
processorConformance(promptInjection, { options: [{}, { strategy: 'rewrite' }] });
processorConformance(pii, { options: [{}, { strategy: 'warn' }], texts });
processorConformance(secrets, { options: [{}, { strategy: 'warn' }], texts });
processorConformance(regexFilter, { options: [{ presets: ['email'], strategy: 'redact' }], texts });
processorConformance(systemPromptScrubber, { options: [{}, { strategy: 'warn' }], texts });
processorConformance(keyword, { options: [{ keywords: ['nightingale'], strategy: 'redact' }], texts });
processorConformance(contentLength, { options: [{ maxOutput: 10_000 }] });
processorConformance(tokenLimiter, { options: [{ limit: 4 }, { limit: 1_000, strategy: 'abort' }], texts });
processorConformance(maxToolCalls, { options: [{}, { perStep: 1, strategy: 'block' }] });
processorConformance(toolCallFilter, { options: [{}, { exclude: ['clock'] }] });
processorConformance(toolAllowList, { options: [{}, { allow: [] }] });
processorConformance(approvalGate, { options: [{}, { tools: ['pay'], message: 'Sure?' }] });
processorConformance(batchParts, { options: [{}, { batchSize: 1 }, { emitOnNonText: false }], texts });
processorConformance(language(NO_MODELS), { options: [{}, { strategy: 'translate', model: 'openai/x' }] });
processorConformance(responseValidator, { options: [{}, { minLength: 100, sameLanguage: true }] });
processorConformance(structuredOutput, {
  options: [{ schema: { type: 'object' } }, { schema: {}, strategy: 'fallback', maxRetries: 0 }],
});
processorConformance(costGuard(NO_STORE), { options: [{ maxCost: 1 }, { maxCost: 1, scope: 'tenant' }] });
processorConformance(responseCache(NO_STORE), { options: [{}, { scope: 'thread' }] });
processorConformance(moderation(NO_MODELS), { options: [{ mode: 'words' }, { model: 'openai/x' }], texts });

describe('asking a model', () => {
  const judged = [
    `${'Plain words of no harm. '.repeat(3)}A vile word 😀 stands here. ${'More of them. '.repeat(4)}`,
    `${'plain words of no harm, '.repeat(8)}Ada has said so, ${'and more of them, '.repeat(4)}says Ada`,
  ];
  const model = 'openai/judge';
  processorConformance(moderation(FIXED_MODELS), {
    options: [
      { model, categories: ['hate'], strategy: 'filter', window: 50, context: 0 },
      { model, categories: ['hate'], window: 50 },
    ],
    texts: judged,
  });
  processorConformance(piiWith(FIXED_MODELS), { options: [{ model, when: 'always' }], texts: judged });
});

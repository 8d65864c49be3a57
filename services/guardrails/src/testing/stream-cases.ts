// Lists the options of each processor with a stream stage for the tests of chunkings.
import type { JsonObject } from '@millrace/contracts';

const model = 'openai/judge';
const byModel = { model, categories: ['hate'], window: 50 };

/** Options by processor. A test fails if this list lacks a processor with a stream stage. */
export const STREAM_CASES: Readonly<Record<string, readonly JsonObject[]>> = {
  pii: [
    {},
    { method: 'placeholder' },
    { method: 'hash' },
    { method: 'remove' },
    { strategy: 'filter' },
    { strategy: 'warn' },
    { strategy: 'block' },
    { toolArguments: 'deny' },
    { model, when: 'always' },
  ],
  secrets: [{}, { strategy: 'block' }, { toolArguments: 'deny' }],
  'regex-filter': [
    { presets: ['email', 'url'], rules: [{ pattern: 'blue\\s+bird', mark: '[B]' }], strategy: 'redact' },
    { presets: ['email'], strategy: 'block' },
  ],
  keyword: ['redact', 'block'].map((strategy) => ({
    keywords: ['nightingale', 'project x', 'vile word'],
    patterns: ['key-\\d+'],
    strategy,
  })),
  moderation: [
    { mode: 'words', words: ['vile'], strategy: 'filter' },
    { mode: 'words', words: ['vile'] },
    { ...byModel, strategy: 'filter' },
    byModel,
  ],
  'http-guard': [
    { endpoint: 'acme' },
    { endpoint: 'acme', strategy: 'filter' },
    { endpoint: 'acme', strategy: 'filter', window: 50 },
    { endpoint: 'acme', strategy: 'warn' },
  ],
  judge: [
    { model, question: 'Is it vile?' },
    { model, question: 'Is it vile?', strategy: 'filter' },
    { model, question: 'Is it vile?', strategy: 'filter', window: 50, include: ['request', 'sources'] },
    { model, question: 'Is it vile?', strategy: 'retry', window: 50 },
  ],
  'system-prompt-scrubber': [{}, { patterns: ['blue\\s+bird'] }, { strategy: 'block' }],
  'content-length': [{ maxOutput: 80 }, { maxOutput: 80, unit: 'graphemes' }],
  'token-limiter': [{ limit: 20 }, { limit: 20, counting: 'exact' }, { limit: 20, strategy: 'abort' }],
  'batch-parts': [{}, { batchSize: 2 }],
};

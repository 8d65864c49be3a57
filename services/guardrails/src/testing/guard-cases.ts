// The options with which the tests and the bench call each processor. A new processor needs an entry here and in processors.ts; every
// other list is derived from both. Without imports of the service: programs outside of it load this table by its path.
import type { JsonObject } from '@millrace/contracts';

export type GuardCase = {
  /** Valid options for the conformance suites. */
  options: readonly JsonObject[];
  /** Texts of the conformance suites, in addition to theirs. */
  texts?: readonly string[];
  /** The options that have no default. */
  required?: JsonObject;
  /** True if it judges long texts by a task on a thread. */
  hasTask?: true;
  /** Options of the comparison of chunkings: of each processor with a stream stage. */
  stream?: readonly JsonObject[];
  /** Options of test/e2e/late-pairs: of each processor with a stage of the output. Empty if it changes no answer by itself. */
  late?: readonly LateCase[];
  /** Options of the bench. `none`: its cost is that of Redis, a model or an endpoint, or it needs a step or a failed call. */
  bench: JsonObject | 'none';
  /** Options of the bench of deltas. */
  deltas?: JsonObject;
};
/** `atStep`: at the result it judges before a late change, in the order of the list. */
type LateCase = { options: JsonObject; atStep?: true };

const texts = ['Write to ada@example.com, card 4111 1111 1111 1111.', 'nothing to see', ''];
const model = 'openai/judge';
const byModel = { model, categories: ['hate'], window: 50 };
const question = { model: 'openai/x', question: 'Is it vile?' };
const vile = { model, question: 'Is it vile?' };
const redact = { strategy: 'redact' };
const unmatched = [{ tools: ['*'], mustNotMatch: ['nightingale'] }];

export const GUARD_CASES: Readonly<Record<string, GuardCase>> = {
  'unicode-normalizer': { options: [{}, { stripControlChars: true }], hasTask: true, bench: {} },
  'prompt-injection': { options: [{}, { strategy: 'rewrite' }], hasTask: true, bench: { strategy: 'warn' } },
  pii: {
    options: [{}, { strategy: 'warn' }],
    texts,
    hasTask: true,
    stream: [
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
    late: [{ options: { types: ['email'], ...redact } }],
    bench: {},
    deltas: {},
  },
  secrets: {
    options: [{}, { strategy: 'warn' }],
    texts,
    hasTask: true,
    stream: [{}, { strategy: 'block' }, { toolArguments: 'deny' }],
    late: [{ options: redact }],
    bench: {},
    deltas: {},
  },
  language: { options: [{}, { strategy: 'translate', model: 'openai/x' }], bench: {} },
  moderation: {
    options: [{ mode: 'words' }, { model: 'openai/x', categories: ['hate'] }],
    texts,
    required: { mode: 'words' },
    hasTask: true,
    stream: [
      { mode: 'words', words: ['vile'], strategy: 'filter' },
      { mode: 'words', words: ['vile'] },
      { ...byModel, strategy: 'filter' },
      byModel,
    ],
    late: [{ options: { mode: 'words', strategy: 'filter' } }],
    bench: { mode: 'words', strategy: 'warn' },
    deltas: { mode: 'words', strategy: 'filter' },
  },
  judge: {
    options: [question, { ...question, strategy: 'filter', window: 50 }],
    texts,
    required: question,
    stream: [
      vile,
      { ...vile, strategy: 'filter' },
      { ...vile, strategy: 'filter', window: 50, include: ['request', 'sources'] },
      { ...vile, strategy: 'retry', window: 50 },
    ],
    late: [],
    bench: 'none',
  },
  'http-guard': {
    options: [{ endpoint: 'acme' }, { endpoint: 'acme', strategy: 'filter', window: 50 }],
    texts,
    required: { endpoint: 'acme' },
    stream: [
      { endpoint: 'acme' },
      { endpoint: 'acme', strategy: 'filter' },
      { endpoint: 'acme', strategy: 'filter', window: 50 },
      { endpoint: 'acme', strategy: 'warn' },
    ],
    late: [],
    bench: 'none',
  },
  'regex-filter': {
    options: [{ presets: ['email'], ...redact }],
    texts,
    required: { presets: ['email'] },
    hasTask: true,
    stream: [
      { presets: ['email', 'url'], rules: [{ pattern: 'blue\\s+bird', mark: '[B]' }], ...redact },
      { presets: ['email'], strategy: 'block' },
    ],
    late: [{ options: { rules: [{ pattern: 'PRJ-\\d{4}', mark: '#' }], ...redact } }],
    bench: { presets: ['email', 'url', 'ip-address'], ...redact },
    deltas: { presets: ['email', 'url', 'uuid'], ...redact },
  },
  keyword: {
    options: [{ keywords: ['nightingale'], ...redact }],
    texts,
    required: { keywords: ['x'] },
    hasTask: true,
    stream: ['redact', 'block'].map((strategy) => ({
      keywords: ['nightingale', 'project x', 'vile word'],
      patterns: ['key-\\d+'],
      strategy,
    })),
    late: [{ options: { keywords: ['hopper'], ...redact }, atStep: true }],
    bench: { keywords: ['nightingale', 'project x'], ...redact },
    deltas: { keywords: ['nightingale', 'project x', `${'a '.repeat(50)}b`], ...redact },
  },
  'system-prompt-scrubber': {
    options: [{}, { strategy: 'warn' }],
    texts,
    hasTask: true,
    stream: [{}, { patterns: ['blue\\s+bird'] }, { strategy: 'block' }],
    late: [{ options: { patterns: ['late of'] }, atStep: true }],
    bench: {},
    deltas: {},
  },
  'content-length': {
    options: [{ maxOutput: 10_000 }],
    hasTask: true,
    stream: [{ maxOutput: 80 }, { maxOutput: 80, unit: 'graphemes' }],
    late: [{ options: { maxOutput: 250 } }],
    bench: { maxInput: 10_000_000, maxOutput: 10_000_000, unit: 'graphemes' },
    deltas: { maxOutput: 10_000_000, unit: 'graphemes' },
  },
  'token-limiter': {
    options: [{ limit: 4 }, { limit: 1_000, strategy: 'abort' }],
    texts,
    required: { limit: 100 },
    hasTask: true,
    stream: [{ limit: 20 }, { limit: 20, counting: 'exact' }, { limit: 20, strategy: 'abort' }],
    late: [
      { options: { limit: 40 } },
      { options: { limit: 50, countMode: 'part' } },
      { options: { limit: 40, at: 'result' }, atStep: true },
    ],
    bench: { limit: 10_000_000 },
    deltas: { limit: 10_000_000 },
  },
  'context-compaction': {
    options: [
      { budget: 100, model: 'openai/x', keepRecent: 1 },
      { budget: 100, drop: true },
    ],
    texts,
    required: { budget: 100 },
    bench: { budget: 100, keepRecent: 1, drop: true },
  },
  'response-validator': {
    options: [{}, { minLength: 100, sameLanguage: true }],
    hasTask: true,
    late: [{ options: { maxLength: 2_000 } }],
    bench: {
      noRefusal: true,
      sameLanguage: true,
      mustNotMatch: ['as an ai'],
      maxLength: 2_000_000,
      strategy: 'warn',
      maxRetries: 0,
    },
  },
  'max-tool-calls': {
    options: [{}, { perStep: 1, strategy: 'block' }],
    late: [{ options: { perStep: 2 } }],
    bench: {},
  },
  'loop-detection': {
    options: [{}, { hintAfter: 1, endAfter: 1, maxPeriod: 1, response: 'Stuck.' }],
    late: [{ options: {} }],
    bench: {},
  },
  'tool-call-filter': { options: [{}, { exclude: ['clock'] }], bench: {} },
  'tool-allow-list': { options: [{}, { allow: [] }], bench: {} },
  'environment-context': { options: [{}, { locale: 'de', context: ['plan', 'runId'] }], bench: {} },
  'argument-processor': {
    options: [{}, { values: { plan: 'free' }, context: ['plan'], unknown: 'keep' }],
    bench: { unknown: 'keep' },
  },
  'memory-import': { options: [{}, { texts: { a: 'b' }, context: ['c'], strategy: 'block' }], bench: {} },
  'tool-injection': {
    options: [
      { rules: [{ tools: ['clock'], pattern: 'time' }] },
      { rules: [{ tools: ['*'], context: { key: 'a', equals: 1 } }] },
    ],
    required: { rules: [{ tools: ['clock'], pattern: 'time' }] },
    hasTask: true,
    bench: 'none',
  },
  'tool-parameters': {
    options: [{ rules: [{ tools: ['*'], remove: ['/a'], defaults: { '/b': 1 }, set: { '/c/d': [null] } }] }],
    required: { rules: [{ tools: ['*'], defaults: { '/limit': 1 } }] },
    bench: { rules: [{ tools: ['*'], set: { '/rows/0/list/0': 'x' }, defaults: { '/a/b': 1 }, remove: ['/text'] }] },
  },
  'tool-validation': {
    options: [
      { rules: unmatched },
      { rules: [{ tools: ['*'], schema: { type: 'object', maxProperties: 0 }, reason: 'No.' }] },
    ],
    required: { rules: unmatched },
    hasTask: true,
    bench: { rules: [{ tools: ['*'], mustNotMatch: ['nightingale', 'project x'] }] },
  },
  'prefill-error-handler': { options: [{}, { message: 'Go on.', patterns: ['busy'] }], bench: 'none' },
  'approval-gate': { options: [{}, { tools: ['pay'], message: 'Sure?' }], bench: {} },
  'batch-parts': {
    options: [{}, { batchSize: 1 }, { emitOnNonText: false }],
    texts,
    stream: [{}, { batchSize: 2 }],
    late: [{ options: { batchSize: 3 } }],
    bench: 'none',
    deltas: {},
  },
  'structured-output': {
    options: [{ schema: { type: 'object' } }, { schema: {}, strategy: 'fallback', maxRetries: 0 }],
    required: { schema: { type: 'object' } },
    hasTask: true,
    late: [{ options: { schema: { type: 'object' }, strategy: 'warn', maxRetries: 0 } }],
    bench: { schema: { type: 'object' }, strategy: 'warn', maxRetries: 0 },
  },
  'cost-guard': {
    options: [{ maxCost: 1 }, { maxCost: 1, scope: 'tenant' }],
    required: { maxCost: 1 },
    late: [],
    bench: 'none',
  },
  'response-cache': { options: [{}, { scope: 'thread' }], late: [], bench: 'none' },
  'run-logger': {
    options: [{}, { contents: true, level: 'debug' }],
    late: [{ options: {} }],
    bench: { contents: true },
  },
};

export const listRequiredOptions = (processorId: string): JsonObject => GUARD_CASES[processorId]?.required ?? {};

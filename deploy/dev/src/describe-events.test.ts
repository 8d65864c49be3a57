import type { EntryOutcome, RunEvent } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { describeEvents } from './describe-events.ts';

const at = { at: '2026-11-21T01:00:00.000Z', epoch: 1, step: 0 };
const entry = (name: string, over: Partial<EntryOutcome> = {}): EntryOutcome => ({
  entry: name,
  processor: name,
  verdict: 'continue',
  ms: 0.25,
  attempts: 1,
  ...over,
});
const stage = (entries: EntryOutcome[], over: object = {}): RunEvent => ({
  event: 'stage',
  ...at,
  stage: 'processInput',
  ms: 3.0517,
  entries,
  ...over,
});

test('a stage is a line with its wall clock and the time of each entry', () => {
  expect(describeEvents([stage([entry('unicode-normalizer'), entry('keyword', { ms: 12 })])])).toEqual([
    'processInput              3.1 ms  unicode-normalizer 0.3, keyword 12.0',
  ]);
});

test('A stage without entries is omitted, and so are events of the run outside of the stages', () => {
  expect(describeEvents([stage([]), { event: 'run', ...at, status: 'running' }])).toEqual([]);
});

test('A verdict other than a plain continue has its reason', () => {
  const error = { code: 'processor-not-there', message: 'Nobody answers.' } as const;
  const lines = describeEvents([
    stage([
      entry('prompt-injection', { verdict: 'abort', reason: 'role override' }),
      entry('semantic-recall', { verdict: 'failure', skipped: true, error }),
      entry('pii', { verdict: 'failure', error }),
    ]),
  ]);
  expect(lines[0]).toMatch(
    /prompt-injection 0\.3 \(abort: role override\), semantic-recall 0\.3 \(skipped: Nobody answers\.\), pii 0\.3 \(Nobody answers\.\)$/,
  );
});

test('model calls and tools are lines of their own', () => {
  const model = { event: 'model', ...at, model: 'openai/gpt-5-mini', call: 1, ms: 20, fromCache: false } as const;
  const error = { code: 'model-call-failed', message: 'HTTP 500' } as const;
  const tool = { event: 'tool', ...at, tool: 'clock', toolCallId: 'c', ms: 1, isError: false, denied: false } as const;
  expect(
    describeEvents([
      { ...model, finishReason: 'tool-calls' },
      { ...model, finishReason: 'stop', fromCache: true },
      { ...model, finishReason: 'error', error },
      stage([entry('tool-rules', { verdict: 'deny' })], { stage: 'processToolCall', subject: 'clock' }),
      tool,
      { ...tool, denied: true },
      { ...tool, isError: true },
    ]).map((line) => line.replace(/^(.*?) +[\d.]+ ms {2}/, '$1 | ')),
  ).toEqual([
    'the model | openai/gpt-5-mini: tool-calls',
    'the model | openai/gpt-5-mini: from the cache',
    'the model | openai/gpt-5-mini: HTTP 500',
    'processToolCall | clock: tool-rules 0.3 (deny)',
    'a tool | clock',
    'a tool | clock (denied)',
    'a tool | clock (error)',
  ]);
});

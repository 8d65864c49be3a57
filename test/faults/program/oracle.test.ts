// The oracle finds each planted fault and none in a correct run.
import type { Chunk, RunResult } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { judgeRun, type Observed } from './oracle.ts';
import type { SeenRun } from './watch-live.ts';

const SECRET = 'qwrtzplkjhgf';
const VISIBLE = 'before ***@***.*** after';
const base = { runId: 'r1', from: 'AGENT' as const };
const delta = (text: string): Chunk => ({ ...base, type: 'text-delta', payload: { id: 't', text } });
const retract = (index: number): Chunk => ({ ...base, type: 'retract', payload: { index, reason: 'retry' } });
const positions = (chunks: readonly Chunk[], epoch = 1) => chunks.map((chunk, index) => ({ epoch, index, chunk }));
const live = (chunks: readonly Chunk[]): SeenRun => ({
  epochs: new Map([[1, { chunks: new Map(chunks.map((chunk, at) => [at, chunk])), changed: [] }]]),
  endings: new Set(['1.9']),
  longestGapMs: 0,
  lastAt: 0,
});
const finished: RunResult = {
  runId: 'r1',
  status: 'finished',
  text: VISIBLE,
  finishReason: 'stop',
  usage: {},
  messages: [],
  steps: [],
  violations: [],
};
const said = [delta('before ***@***'), delta('.*** after')];
const makeStored = (role: string, text: string) => ({ role, text, json: JSON.stringify({ role, text }) });
const sound: Observed = {
  planned: { name: 'r1', input: '', visible: VISIBLE, secrets: [SECRET], calls: { book: 1, note: 1 } },
  seen: live(said),
  replayed: positions(said),
  result: finished,
  cancelAsked: false,
  mayMissTools: false,
  ledger: [
    { tool: 'book', key: 'r1' },
    { tool: 'note', key: 'r1', idempotencyKey: 'k' },
    { tool: 'note', key: 'r1', idempotencyKey: 'k' },
    { tool: 'book', key: 'other' },
  ],
  history: [makeStored('user', 'say'), makeStored('assistant', VISIBLE)],
};
const judge = (more: Partial<Observed>) => judgeRun({ ...sound, ...more });

test('a correct run has no finding: an idempotent tool can be called twice under one key', () => {
  expect(judge({})).toEqual({ status: 'finished', doubled: [], leaked: [], wrong: [] });
});

test('a run without a result is lost, and a failed one has its code', () => {
  expect(judge({ result: undefined }).status).toBe('lost');
  const error = { code: 'session-lost' as const, message: 'gone' };
  expect(judge({ result: { ...finished, status: 'failed', error } })).toMatchObject({
    status: 'failed',
    code: error.code,
  });
});

describe('the oracle finds a leak', () => {
  test.each([
    [
      'on the live subject, cut over deltas',
      { seen: live([delta(`at ${SECRET.slice(0, 4)}`), delta(SECRET.slice(4, 8))]) },
    ],
    ['in the log', { replayed: positions([...said, delta(SECRET)]) }],
    ['in the result', { result: { ...finished, finishReason: SECRET.slice(2, 8) } }],
    ['in the history', { history: [makeStored('user', SECRET)] }],
  ])('leak: %s', (_where, more) => {
    expect(judge(more).leaked).toHaveLength(1);
  });
});

describe('the oracle finds a duplicate effect', () => {
  const twice = { tool: 'book', key: 'r1' };
  test.each([
    ['an effect', { ledger: [twice, twice] }],
    [
      'an idempotent effect under two keys',
      { ledger: ['a', 'b'].map((idempotencyKey) => ({ tool: 'note', key: 'r1', idempotencyKey })) },
    ],
    ['an ending', { seen: { ...live(said), endings: new Set(['1.9', '2.4']) } }],
    [
      'a stored message',
      { history: [makeStored('user', 'say'), makeStored('user', 'say'), makeStored('assistant', VISIBLE)] },
    ],
    ['an answer', { result: { ...finished, text: VISIBLE + VISIBLE } }],
  ])('duplicate: %s', (_what, more) => {
    expect(judge(more).doubled).toHaveLength(1);
  });
});

describe('the oracle finds wrong output', () => {
  test.each([
    ['text that is not the guards’', { result: { ...finished, text: 'before' } }],
    ['a stream that is not the result', { replayed: positions([delta('other')]) }],
    ['a history that is not the result', { history: [makeStored('user', 'say'), makeStored('assistant', 'other')] }],
    ['a position that is there twice', { replayed: [...positions(said), ...positions(said)] }],
    [
      'a changed chunk at an index',
      { seen: { ...live(said), epochs: new Map([[1, { chunks: new Map(), changed: [3] }]]) } },
    ],
    ['a cancellation without a request', { result: { ...finished, status: 'cancelled' as const } }],
    ['an idempotent tool that was never called', { ledger: [] }],
    ['chunks that cannot be read again', { replayed: { unread: 'timeout' } }],
  ])('wrong: %s', (_what, more) => {
    expect(judge(more).wrong.length).toBeGreaterThan(0);
  });
});

test('the oracle ignores retracted chunks', () => {
  const retried = [delta('wrong'), retract(0), ...said];
  expect(judge({ replayed: retried.map((chunk, index) => ({ epoch: 1, index, chunk })) })).toMatchObject({ wrong: [] });
});

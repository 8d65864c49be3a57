// Tests that one processor of a stream cannot harm the others, the run or the process.
import type { Chunk } from '@millrace/contracts';
import { TEST_RUN } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { delta, formatChunk, streaming, streamThrough } from '../testing/streaming.ts';

const chunk = (type: string, payload: object = {}): Chunk =>
  JSON.parse(JSON.stringify({ type, runId: TEST_RUN.runId, from: 'AGENT', payload }));
const FINISH = chunk('finish', { stepResult: { reason: 'stop' }, output: {}, messages: [] });
const ERROR = chunk('error', { error: { code: 'model-call-failed', message: 'no' } });
const pass = streaming('pass', ({ part }) => part);
/** Returns `instead` for chunks of that type. */
const giving = (type: string, instead: unknown) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a processor in JavaScript could do
  streaming('giving', ({ part }) => (part.type === type ? (instead as Chunk[]) : part));

describe('results that fail a processor of the stream and are not sent', () => {
  const control = [
    chunk('start'),
    chunk('abort'),
    chunk('retract', { index: 0 }),
    chunk('tripwire', { reason: 'mine' }),
    chunk('suspended', { resumeToken: 'x', expiresAt: 'y' }),
    chunk('resumed'),
    FINISH,
    ERROR,
  ];

  test.each(control)('A processor fails if it returns a chunk that only the run creates: $type', async (made) => {
    for (const instead of [made, [delta('b'), made]]) {
      const { out, verdicts } = await streamThrough([giving('text-delta', instead), pass], [delta('a'), delta('c')]);
      expect(out).toEqual([]);
      expect(verdicts).toMatchObject([
        { type: 'failure', code: 'processor-verdict-refused', message: expect.stringContaining(made.type) },
        { type: 'continue' },
      ]);
    }
  });

  test.each([
    ['nothing', []],
    ['something else', [delta('instead')]],
    ['it twice', [FINISH, FINISH]],
  ])('A processor fails if it returns an array with %s for a finish', async (_what, instead) => {
    const { out, verdicts } = await streamThrough([giving('finish', instead), pass], [delta('a'), FINISH]);
    expect(out).toEqual(['a']);
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-verdict-refused' }, { type: 'continue' }]);
  });

  test('A processor fails if it returns an array without the error for an error', async () => {
    const { verdicts } = await streamThrough([giving('error', [])], [ERROR]);
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-verdict-refused' }]);
  });
});

test('The number of output chunks for one input chunk is limited', async () => {
  const many = (count: number) =>
    giving(
      'text-delta',
      Array.from({ length: count }, () => delta('b')),
    );
  expect((await streamThrough([many(1_024)], [delta('a')])).out).toHaveLength(1_024);
  const { out, verdicts } = await streamThrough([many(1_025)], [delta('a')]);
  expect(out).toEqual([]);
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-verdict-refused' }]);
});

test('A finish may be changed, and may be returned with other chunks', async () => {
  const { out } = await streamThrough([giving('finish', [delta('!'), { ...FINISH }])], [delta('a'), FINISH]);
  expect(out).toEqual(['a', '!', 'finish']);
});

test("The run id and the sender of a processor's chunks are overwritten", async () => {
  const foreign = { ...delta('b'), runId: 'of-another', from: 'USER' };
  const { chunks } = await streamThrough([giving('text-delta', foreign)], [delta('a')]);
  expect(chunks).toEqual([delta('b')]);
});

describe('a cancelled stream', () => {
  test('The result of a method after cancellation is not sent', async () => {
    const giveUp = new AbortController();
    const late = streaming('late', async ({ part, abortSignal }) => {
      if (formatChunk(part) === 'b') giveUp.abort();
      await Promise.resolve();
      return abortSignal.aborted ? delta('unjudged') : part;
    });
    const { out, verdicts } = await streamThrough([pass, late], [delta('a'), delta('b'), delta('c')], {
      signal: giveUp.signal,
    });
    expect(out).toEqual(['a']);
    expect(verdicts).toMatchObject([{ type: 'continue' }, { type: 'failure', code: 'processor-timeout' }]);
  });

  test('A hanging method is abandoned, and its processor is named', async () => {
    const giveUp = new AbortController();
    const hanging = streaming('hanging', ({ part }) => {
      if (formatChunk(part) !== 'b') return part;
      queueMicrotask(() => giveUp.abort());
      return new Promise(() => undefined);
    });
    const { out, verdicts } = await streamThrough([pass, hanging], [delta('a'), delta('b')], { signal: giveUp.signal });
    expect(out).toEqual(['a']);
    expect(verdicts).toMatchObject([
      { type: 'continue' },
      { type: 'failure', code: 'processor-timeout', message: expect.stringContaining('hanging') },
    ]);
  });
});

test('A chunk that arrives after cancellation is not passed to the processor', async () => {
  const seen: string[] = [];
  const look = streaming('look', ({ part }) => (seen.push(part.type), part));
  const { out, verdicts } = await streamThrough([look], [delta('a')], { signal: AbortSignal.abort() });
  expect([out, seen]).toEqual([[], []]);
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-timeout' }]);
});

test('An unsendable custom chunk without a handler fails its processor, and the process continues', async () => {
  const careless = streaming('careless', ({ part, writer }) => {
    // @ts-expect-error -- what a processor in JavaScript could do
    if (formatChunk(part) === 'b') void writer.custom({ type: 'retract', payload: { index: 0 } });
    return new Promise((resolve) => setImmediate(() => resolve(part)));
  });
  const { out, verdicts } = await streamThrough([careless, pass], [delta('a'), delta('b')]);
  expect(out).toEqual(['a']);
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'message-invalid' }, { type: 'continue' }]);
});

describe('a timer in the state of a session', () => {
  test('A timer in the state is cleared and dropped with a warning, and the rest of the state is returned', async () => {
    const warnings: string[] = [];
    let fired = 0;
    const batching = streaming('batching', ({ part, state }) => {
      Object.assign(state, {
        seen: 1,
        flush: setTimeout(() => (fired += 1), 1),
        all: [setInterval(() => (fired += 1), 1)],
      });
      return part;
    });
    const { verdicts } = await streamThrough([batching], [delta('a')], { warn: (text) => void warnings.push(text) });
    expect(verdicts).toEqual([{ type: 'continue', state: { seen: 1, all: [null] } }]);
    expect(warnings.join()).toMatch(/"batching".*state\.flush.*"batching".*state\.all\[0\]/s);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(fired).toBe(0);
  });

  test('A timer in the state does not excuse other values that are not JSON', async () => {
    const broken = streaming('broken', ({ part, state }) => (Object.assign(state, { get: () => 1 }), part));
    const { verdicts } = await streamThrough([broken], [delta('a')]);
    expect(verdicts).toMatchObject([
      { type: 'failure', code: 'state-not-serializable', message: expect.stringContaining('state.get') },
    ]);
  });
});

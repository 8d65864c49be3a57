// What one processor of a stream may not do to the others, to the run and to the process.
import type { Chunk } from '@millrace/contracts';
import { TEST_RUN } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { delta, shown, streaming, streamThrough } from '../testing/streaming.ts';

const chunk = (type: string, payload: object = {}): Chunk =>
  JSON.parse(JSON.stringify({ type, runId: TEST_RUN.runId, from: 'AGENT', payload }));
const FINISH = chunk('finish', { stepResult: { reason: 'stop' }, output: {}, messages: [] });
const ERROR = chunk('error', { error: { code: 'model-call-failed', message: 'no' } });
const pass = streaming('pass', ({ part }) => part);
/** Gives `instead` for the chunks of that type. */
const giving = (type: string, instead: unknown) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a processor in JavaScript could do
  streaming('giving', ({ part }) => (part.type === type ? (instead as Chunk[]) : part));

describe('a processor of the stream fails, and what it gave reaches nobody, where it gives', () => {
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

  test.each(control)('a chunk that only the run makes: $type', async (made) => {
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
  ])('an array with %s for a finish', async (_what, instead) => {
    const { out, verdicts } = await streamThrough([giving('finish', instead), pass], [delta('a'), FINISH]);
    expect(out).toEqual(['a']);
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-verdict-refused' }, { type: 'continue' }]);
  });

  test('an array without the error for an error', async () => {
    const { verdicts } = await streamThrough([giving('error', [])], [ERROR]);
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-verdict-refused' }]);
  });
});

test('one chunk may become many, and not without end', async () => {
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

test('a finish may be changed, and may have company', async () => {
  const { out } = await streamThrough([giving('finish', [delta('!'), { ...FINISH }])], [delta('a'), FINISH]);
  expect(out).toEqual(['a', '!', 'finish']);
});

test('chunks that a processor makes are of this run, whatever they say', async () => {
  const foreign = { ...delta('b'), runId: 'of-another', from: 'USER' };
  const { chunks } = await streamThrough([giving('text-delta', foreign)], [delta('a')]);
  expect(chunks).toEqual([delta('b')]);
});

describe('when nobody wants the rest', () => {
  test('what a method gives after that is not passed on: it was told to give up', async () => {
    const giveUp = new AbortController();
    const late = streaming('late', async ({ part, abortSignal }) => {
      if (shown(part) === 'b') giveUp.abort();
      await Promise.resolve();
      return abortSignal.aborted ? delta('unjudged') : part;
    });
    const { out, verdicts } = await streamThrough([pass, late], [delta('a'), delta('b'), delta('c')], {
      signal: giveUp.signal,
    });
    expect(out).toEqual(['a']);
    expect(verdicts).toMatchObject([{ type: 'continue' }, { type: 'failure', code: 'processor-timeout' }]);
  });

  test('a method that hangs is not waited for, and its processor is named', async () => {
    const giveUp = new AbortController();
    const hanging = streaming('hanging', ({ part }) => {
      if (shown(part) !== 'b') return part;
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

test('a chunk that comes when the call was given up is not shown to the processor', async () => {
  const seen: string[] = [];
  const look = streaming('look', ({ part }) => (seen.push(part.type), part));
  const { out, verdicts } = await streamThrough([look], [delta('a')], { signal: AbortSignal.abort() });
  expect([out, seen]).toEqual([[], []]);
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-timeout' }]);
});

test('a custom chunk that cannot be sent fails its processor though nobody waits for it, and the process goes on', async () => {
  const careless = streaming('careless', ({ part, writer }) => {
    // @ts-expect-error -- what a processor in JavaScript could do
    if (shown(part) === 'b') void writer.custom({ type: 'retract', payload: { index: 0 } });
    return new Promise((resolve) => setImmediate(() => resolve(part)));
  });
  const { out, verdicts } = await streamThrough([careless, pass], [delta('a'), delta('b')]);
  expect(out).toEqual(['a']);
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'message-invalid' }, { type: 'continue' }]);
});

describe('a timer in the state of a session', () => {
  test('is ended and dropped with a warning, and the rest of the state travels', async () => {
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

  test('does not excuse what else is not JSON', async () => {
    const broken = streaming('broken', ({ part, state }) => (Object.assign(state, { get: () => 1 }), part));
    const { verdicts } = await streamThrough([broken], [delta('a')]);
    expect(verdicts).toMatchObject([
      { type: 'failure', code: 'state-not-serializable', message: expect.stringContaining('state.get') },
    ]);
  });
});

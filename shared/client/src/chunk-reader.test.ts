// Tests the requests of a reader with a controlled clock and source. run.integration.test.ts uses real ones.
import { MillraceError, chunkSchema, type RunStatus, type Position } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createChunkLog } from './chunk-log.ts';
import type { StoredBatch } from './chunk-merge.ts';
import { readChunks, type ReaderOptions } from './chunk-reader.ts';
import type { ReceivedBatch, ReplayAnswer } from './chunk-source.ts';
import { finish, text } from './testing/run-history.ts';

const limits = { silenceMs: 10_000, retryMs: 250, giveUpMs: 60_000 };
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  const left = vi.getTimerCount();
  vi.useRealTimers();
  if (left > 0) throw new Error(`${left} timers are left`);
});

const buildBatch = (index: number, ...chunks: StoredBatch['chunks']): StoredBatch => ({ epoch: 1, index, chunks });
const nothing = (status: RunStatus = 'running'): ReplayAnswer => ({ status, complete: false, batches: [] });
const brings = (...batches: StoredBatch[]): ReplayAnswer => ({ status: 'running', complete: false, batches });

/** @param answer reply of the source to each request; all requests are recorded with times in tens of ms */
async function reading(answer: (from: Position, n: number) => ReplayAnswer, options: Partial<ReaderOptions> = {}) {
  const log = createChunkLog();
  const asked: { index: number; atMs: number }[] = [];
  const started = performance.now();
  let publish: (batch: ReceivedBatch) => void = () => undefined;
  const stopped = vi.fn<() => void>();
  let notifyReconnected: () => void = () => undefined;
  const source = {
    onReconnect: (listener: () => void) => {
      notifyReconnected = listener;
      return () => void (notifyReconnected = () => undefined);
    },
    listen: async (handle: (batch: ReceivedBatch) => void) => {
      publish = handle;
      return { stop: stopped };
    },
    replay: async (from: Position) => {
      asked.push({ index: from.index, atMs: Math.floor((performance.now() - started) / 10) * 10 });
      return answer(from, asked.length);
    },
  };
  const reader = await readChunks(source, log, { late: false, limits, ...options });
  const indexes = async () => {
    const seen: number[] = [];
    for await (const { index } of log.read()) seen.push(index);
    return seen;
  };
  return {
    reader,
    log,
    asked,
    stopped,
    reconnect: () => notifyReconnected(),
    publish: (batch: ReceivedBatch) => publish(batch),
    indexes,
  };
}

describe('a reader', () => {
  test('A reader gives up a run that is a minute past its deadline and still running', async () => {
    const past = (ms: number): ReplayAnswer => ({ status: 'running', complete: false, remainingMs: -ms, batches: [] });
    const run = await reading((_, n) => past(n * 20_000));
    const timeout = { code: 'timeout', remedy: expect.stringContaining('new run id') };
    await Promise.all([expect(run.indexes()).rejects.toMatchObject(timeout), vi.advanceTimersByTimeAsync(60_000)]);
    expect(run.asked).toHaveLength(4);
  });

  test('A reader requests a replay at once after a reconnect, without waiting for a silence', async () => {
    const run = await reading((from) => (from.index < 2 ? brings(buildBatch(1, text('b'), finish)) : nothing()));
    run.publish(buildBatch(0, text('a')));
    run.reconnect();
    await vi.advanceTimersByTimeAsync(limits.retryMs);
    expect(run.asked).toHaveLength(1);
    expect(await run.indexes()).toEqual([0, 1, 2]);
    run.reconnect();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('A reader requests nothing while live chunks arrive, and ends with the last one', async () => {
    const run = await reading(() => nothing());
    for (let index = 0; index < 5; index += 1) {
      run.publish(buildBatch(index, text('x')));
      await vi.advanceTimersByTimeAsync(9_000);
    }
    run.publish(buildBatch(5, finish));
    expect(await run.indexes()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(run.asked).toEqual([]);
    expect(run.stopped).toHaveBeenCalledOnce();
  });

  test('A reader requests from its position after 10 s of silence, and again at once while that returns chunks', async () => {
    const run = await reading((_, n) => (n === 1 ? brings(buildBatch(1, text('lost'))) : nothing()));
    run.publish(buildBatch(0, text('x')));
    await vi.advanceTimersByTimeAsync(19_999);
    expect(run.asked).toEqual([
      { index: 1, atMs: 10_000 },
      { index: 2, atMs: 10_000 },
    ]);
    await vi.advanceTimersByTimeAsync(10);
    expect(run.asked).toHaveLength(3);
    run.publish(buildBatch(2, finish));
    expect(await run.indexes()).toEqual([0, 1, 2]);
  });

  test('A reader requests at once for a gap, then with increasing delays until the log has the chunks', async () => {
    const run = await reading((_, n) => (n < 4 ? nothing() : brings(buildBatch(0, text('a'), text('b')))));
    run.publish(buildBatch(2, finish));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(run.asked.map(({ atMs }) => atMs)).toEqual([0, 250, 750, 1_750]);
    expect(await run.indexes()).toEqual([0, 1, 2]);
  });

  test('A reader requests at once for a new gap, after any number of empty replies', async () => {
    const run = await reading(() => nothing());
    await vi.advanceTimersByTimeAsync(100_000);
    run.asked.length = 0;
    run.publish(buildBatch(1, finish));
    await vi.advanceTimersByTimeAsync(250);
    expect(run.asked).toHaveLength(2);
    run.publish(buildBatch(0, text('a')));
    expect(await run.indexes()).toEqual([0, 1]);
  });

  test('A late reader requests everything, and once more for chunks that were not logged yet', async () => {
    const run = await reading((_, n) => (n === 1 ? brings(buildBatch(0, text('a'))) : nothing()), { late: true });
    await vi.advanceTimersByTimeAsync(9_000);
    expect(run.asked).toEqual([
      { index: 0, atMs: 0 },
      { index: 1, atMs: 0 },
      { index: 1, atMs: 250 },
    ]);
    run.publish(buildBatch(1, finish));
    expect(await run.indexes()).toEqual([0, 1]);
  });

  test('A reader soon repeats the request for the last chunk of an ended run, and gives up after a while', async () => {
    const run = await reading(() => nothing('finished'), { late: true });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(run.asked.map(({ atMs }) => atMs)).toEqual([0, 250, 750, 1_750]);
    await vi.advanceTimersByTimeAsync(90_000);
    await expect(run.indexes()).rejects.toMatchObject({ code: 'chunks-gone' });
  });

  test('A reader ends if the whole run arrives while the server processes the subscription', async () => {
    const log = createChunkLog();
    const stop = vi.fn<() => void>();
    const listen = async (handle: (batch: StoredBatch) => void) => {
      handle(buildBatch(0, finish));
      return { stop };
    };
    await readChunks({ listen, onReconnect: () => () => undefined, replay: async () => nothing() }, log, {
      late: false,
      limits,
    });
    expect(await log.outcome).toBeUndefined();
    expect(stop).toHaveBeenCalledOnce();
  });

  test('A reader stops with the given reason', async () => {
    const run = await reading(() => nothing());
    run.reader.stop(new MillraceError('cancelled', 'enough'));
    run.publish(buildBatch(0, text('late')));
    await expect(run.indexes()).rejects.toMatchObject({ code: 'cancelled' });
    expect(run.stopped).toHaveBeenCalledOnce();
  });
});

describe('a transient chunk', () => {
  const progress = chunkSchema.parse({ ...text(''), type: 'data-progress', data: 1, transient: true });

  test('A transient chunk is passed at once without an index of its own', async () => {
    const run = await reading(() => nothing());
    run.publish({ ...buildBatch(0, text('a')), transient: [progress] });
    run.publish({ ...buildBatch(1), transient: [progress] });
    run.publish(buildBatch(1, text('b'), finish));
    const types: string[] = [];
    for await (const { chunk } of run.log.read()) types.push(chunk.type);
    expect(types).toEqual(['text-delta', 'data-progress', 'data-progress', 'text-delta', 'finish']);
    expect(run.asked).toEqual([]);
    expect(await run.indexes()).toEqual([0, 0, 0, 1, 2]);
  });

  test('A transient chunk of a replaced owner is dropped', async () => {
    const run = await reading(() => nothing(), { from: { epoch: 2, index: 3 } });
    run.publish({ epoch: 1, index: 3, chunks: [], transient: [progress] });
    run.publish({ epoch: 2, index: 3, chunks: [finish] });
    expect(await run.indexes()).toEqual([3]);
  });
});

describe('a failing replay request', () => {
  const failing = (code: 'nobody-there' | 'chunks-gone' | 'run-unknown') => () => {
    throw new MillraceError(code, code);
  };

  test('The reader repeats the request without responders for a minute', async () => {
    const run = await reading(failing('nobody-there'), { late: true });
    await vi.advanceTimersByTimeAsync(55_000);
    run.publish(buildBatch(0, text('still alive')));
    await vi.advanceTimersByTimeAsync(55_000);
    expect(run.asked.length).toBeGreaterThan(10);
    await vi.advanceTimersByTimeAsync(20_000);
    await expect(run.indexes()).rejects.toMatchObject({ code: 'nobody-there' });
  });

  test('The reader fails at once if a retry cannot help', async () => {
    const run = await reading(failing('chunks-gone'), { late: true });
    await vi.advanceTimersByTimeAsync(0);
    await expect(run.indexes()).rejects.toMatchObject({ code: 'chunks-gone' });
    expect(run.asked).toHaveLength(1);
  });

  test('An unknown run is no failure if it was submitted here and has not started', async () => {
    const run = await reading(failing('run-unknown'), { unknownForMs: 600_000 });
    await vi.advanceTimersByTimeAsync(300_000);
    run.publish(buildBatch(0, finish));
    expect(await run.indexes()).toEqual([0]);
  });

  test('The reader fails for an unknown run', async () => {
    const run = await reading(failing('run-unknown'), { late: true });
    await vi.advanceTimersByTimeAsync(0);
    await expect(run.indexes()).rejects.toMatchObject({ code: 'run-unknown' });
  });
});

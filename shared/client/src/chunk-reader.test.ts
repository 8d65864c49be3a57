// The reader's questions and their times, with the timers and the source in hand. The real ones: run.integration.test.ts.
import { MillraceError, chunkSchema, type RunStatus } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createChunkLog } from './chunk-log.ts';
import type { Batch, Position } from './chunk-merge.ts';
import { readChunks, type ReaderOptions } from './chunk-reader.ts';
import type { LiveBatch, ReplayAnswer } from './chunk-source.ts';
import { finish, text } from './testing/run-history.ts';

const limits = { silenceMs: 10_000, retryMs: 250, giveUpMs: 60_000 };
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  const left = vi.getTimerCount();
  vi.useRealTimers();
  if (left > 0) throw new Error(`${left} timers are left`);
});

const at = (index: number, ...chunks: Batch['chunks']): Batch => ({ epoch: 1, index, chunks });
const nothing = (status: RunStatus = 'running'): ReplayAnswer => ({ status, batches: [] });
const brings = (...batches: Batch[]): ReplayAnswer => ({ status: 'running', batches });

/** @param answer what the source says to each question; all questions are kept, with times in tens of ms */
async function reading(answer: (from: Position, n: number) => ReplayAnswer, options: Partial<ReaderOptions> = {}) {
  const log = createChunkLog();
  const asked: { index: number; atMs: number }[] = [];
  const started = performance.now();
  let publish: (batch: LiveBatch) => void = () => undefined;
  const stopped = vi.fn<() => void>();
  let reconnected: () => void = () => undefined;
  const source = {
    onReconnect: (listener: () => void) => {
      reconnected = listener;
      return () => void (reconnected = () => undefined);
    },
    listen: async (handle: (batch: LiveBatch) => void) => {
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
    reconnect: () => reconnected(),
    publish: (batch: LiveBatch) => publish(batch),
    indexes,
  };
}

describe('a reader', () => {
  test('gives a run up that is a minute past its deadline and still said to be running', async () => {
    const past = (ms: number): ReplayAnswer => ({ status: 'running', remainingMs: -ms, batches: [] });
    const run = await reading((_, n) => past(n * 20_000));
    const timeout = { code: 'timeout', remedy: expect.stringContaining('new run id') };
    await Promise.all([expect(run.indexes()).rejects.toMatchObject(timeout), vi.advanceTimersByTimeAsync(60_000)]);
    expect(run.asked).toHaveLength(4);
  });

  test('asks at once when its lost connection is back, and not after a silence', async () => {
    const run = await reading((from) => (from.index < 2 ? brings(at(1, text('b'), finish)) : nothing()));
    run.publish(at(0, text('a')));
    run.reconnect();
    await vi.advanceTimersByTimeAsync(limits.retryMs);
    expect(run.asked).toHaveLength(1);
    expect(await run.indexes()).toEqual([0, 1, 2]);
    run.reconnect();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('asks nothing while live chunks come, and is over with the last one', async () => {
    const run = await reading(() => nothing());
    for (let index = 0; index < 5; index += 1) {
      run.publish(at(index, text('x')));
      await vi.advanceTimersByTimeAsync(9_000);
    }
    run.publish(at(5, finish));
    expect(await run.indexes()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(run.asked).toEqual([]);
    expect(run.stopped).toHaveBeenCalledOnce();
  });

  test('asks from its position after 10 s of silence, and again at once while that brings something', async () => {
    const run = await reading((_, n) => (n === 1 ? brings(at(1, text('lost'))) : nothing()));
    run.publish(at(0, text('x')));
    await vi.advanceTimersByTimeAsync(19_999);
    expect(run.asked).toEqual([
      { index: 1, atMs: 10_000 },
      { index: 2, atMs: 10_000 },
    ]);
    await vi.advanceTimersByTimeAsync(10);
    expect(run.asked).toHaveLength(3);
    run.publish(at(2, finish));
    expect(await run.indexes()).toEqual([0, 1, 2]);
  });

  test('asks at once for a gap, then ever less often until the log has it', async () => {
    const run = await reading((_, n) => (n < 4 ? nothing() : brings(at(0, text('a'), text('b')))));
    run.publish(at(2, finish));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(run.asked.map(({ atMs }) => atMs)).toEqual([0, 250, 750, 1_750]);
    expect(await run.indexes()).toEqual([0, 1, 2]);
  });

  test('asks for a new gap at once, however long it was told nothing before', async () => {
    const run = await reading(() => nothing());
    await vi.advanceTimersByTimeAsync(100_000);
    run.asked.length = 0;
    run.publish(at(1, finish));
    await vi.advanceTimersByTimeAsync(250);
    expect(run.asked).toHaveLength(2);
    run.publish(at(0, text('a')));
    expect(await run.indexes()).toEqual([0, 1]);
  });

  test('that comes late asks for everything, and once more for what the log was gathering', async () => {
    const run = await reading((_, n) => (n === 1 ? brings(at(0, text('a'))) : nothing()), { late: true });
    await vi.advanceTimersByTimeAsync(9_000);
    expect(run.asked).toEqual([
      { index: 0, atMs: 0 },
      { index: 1, atMs: 0 },
      { index: 1, atMs: 250 },
    ]);
    run.publish(at(1, finish));
    expect(await run.indexes()).toEqual([0, 1]);
  });

  test('asks on soon for the last chunk of a run that has ended, and gives up after a while', async () => {
    const run = await reading(() => nothing('finished'), { late: true });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(run.asked.map(({ atMs }) => atMs)).toEqual([0, 250, 750, 1_750]);
    await vi.advanceTimersByTimeAsync(90_000);
    await expect(run.indexes()).rejects.toMatchObject({ code: 'chunks-gone' });
  });

  test('is over when the whole run comes while the server takes the subscription', async () => {
    const log = createChunkLog();
    const stop = vi.fn<() => void>();
    const listen = async (handle: (batch: Batch) => void) => {
      handle(at(0, finish));
      return { stop };
    };
    await readChunks({ listen, onReconnect: () => () => undefined, replay: async () => nothing() }, log, {
      late: false,
      limits,
    });
    expect(await log.outcome).toBeUndefined();
    expect(stop).toHaveBeenCalledOnce();
  });

  test('stops with the reason that it is given', async () => {
    const run = await reading(() => nothing());
    run.reader.stop(new MillraceError('cancelled', 'enough'));
    run.publish(at(0, text('late')));
    await expect(run.indexes()).rejects.toMatchObject({ code: 'cancelled' });
    expect(run.stopped).toHaveBeenCalledOnce();
  });
});

describe('a transient chunk', () => {
  const progress = chunkSchema.parse({ ...text(''), type: 'data-progress', data: 1, transient: true });

  test('reaches readers at once, and does not count: the next chunk has the next index', async () => {
    const run = await reading(() => nothing());
    run.publish({ ...at(0, text('a')), transient: [progress] });
    run.publish({ ...at(1), transient: [progress] });
    run.publish(at(1, text('b'), finish));
    const types: string[] = [];
    for await (const { chunk } of run.log.read()) types.push(chunk.type);
    expect(types).toEqual(['text-delta', 'data-progress', 'data-progress', 'text-delta', 'finish']);
    expect(run.asked).toEqual([]);
    expect(await run.indexes()).toEqual([0, 0, 0, 1, 2]);
  });

  test('of an owner that was replaced is left out', async () => {
    const run = await reading(() => nothing(), { from: { epoch: 2, index: 3 } });
    run.publish({ epoch: 1, index: 3, chunks: [], transient: [progress] });
    run.publish({ epoch: 2, index: 3, chunks: [finish] });
    expect(await run.indexes()).toEqual([3]);
  });
});

describe('a question that fails', () => {
  const failing = (code: 'nobody-there' | 'chunks-gone' | 'run-unknown') => () => {
    throw new MillraceError(code, code);
  };

  test('is asked again while nobody is there, for a minute', async () => {
    const run = await reading(failing('nobody-there'), { late: true });
    await vi.advanceTimersByTimeAsync(55_000);
    run.publish(at(0, text('still alive')));
    await vi.advanceTimersByTimeAsync(55_000);
    expect(run.asked.length).toBeGreaterThan(10);
    await vi.advanceTimersByTimeAsync(20_000);
    await expect(run.indexes()).rejects.toMatchObject({ code: 'nobody-there' });
  });

  test('ends the reading at once where asking again cannot help', async () => {
    const run = await reading(failing('chunks-gone'), { late: true });
    await vi.advanceTimersByTimeAsync(0);
    await expect(run.indexes()).rejects.toMatchObject({ code: 'chunks-gone' });
    expect(run.asked).toHaveLength(1);
  });

  test('is no failure where a run that was submitted here has not begun', async () => {
    const run = await reading(failing('run-unknown'), { unknownForMs: 600_000 });
    await vi.advanceTimersByTimeAsync(300_000);
    run.publish(at(0, finish));
    expect(await run.indexes()).toEqual([0]);
  });

  test('ends the reading of a run that nobody knows', async () => {
    const run = await reading(failing('run-unknown'), { late: true });
    await vi.advanceTimersByTimeAsync(0);
    await expect(run.indexes()).rejects.toMatchObject({ code: 'run-unknown' });
  });
});

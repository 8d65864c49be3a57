import { afterEach, describe, expect, test } from 'vitest';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';

const module = new URL('../testing/looping-thread.ts', import.meta.url);
let pool: ThreadPool | undefined;
afterEach(() => pool?.close());

const startPool = (options: { size?: number; maxJobMs?: number; idleMs?: number } = {}) =>
  (pool = createThreadPool({ module, ...options }));
const { signal } = new AbortController();

describe('the thread pool', () => {
  test('the pool answers each job, with more jobs than threads', async () => {
    const { run } = startPool({ size: 2 });
    const jobs = Array.from({ length: 20 }, (_, at) => `job ${at}`);
    expect(await Promise.all(jobs.map((job) => run(job, { cost: 1, signal })))).toEqual(jobs);
  });
  test('the pool fails a job after its timeout and continues with the next', async () => {
    const { run } = startPool({ size: 1, maxJobMs: 1_000 });
    const hung = run('loop', { cost: 1, signal });
    const next = run('next', { cost: 1, signal });
    await expect(hung).rejects.toMatchObject({ code: 'processor-timeout' });
    expect(await next).toBe('next');
  });
  test('the pool ends the thread of an aborted job', async () => {
    const { run } = startPool({ size: 1 });
    const cancelled = new AbortController();
    const hung = run('loop', { cost: 1, signal: cancelled.signal });
    const next = run('next', { cost: 1, signal });
    cancelled.abort();
    await expect(hung).rejects.toMatchObject({ code: 'processor-timeout' });
    expect(await next).toBe('next');
  });
  test('the pool removes an aborted job from the queue', async () => {
    const { run } = startPool({ size: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const hung = run('loop', { cost: 1, signal: first.signal });
    const waiting = run('never', { cost: 1, signal: second.signal });
    second.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'processor-timeout' });
    first.abort();
    await expect(hung).rejects.toMatchObject({ code: 'processor-timeout' });
  });
  test('the pool keeps a starting thread for the next job after an abort', async () => {
    const { run } = startPool({ size: 1 });
    let threads = 0;
    const count = () => void (threads += 1);
    process.on('worker', count);
    for (let given = 0; given < 5; given++) {
      const cancelled = new AbortController();
      const hung = run('loop', { cost: 1, signal: cancelled.signal });
      cancelled.abort();
      await expect(hung).rejects.toMatchObject({ code: 'processor-timeout' });
    }
    expect(await run('next', { cost: 1, signal })).toBe('next');
    process.off('worker', count);
    expect(threads).toBe(1);
  });
  test('the pool fails waiting jobs if a thread cannot start', async () => {
    const nowhere = (pool = createThreadPool({ module: new URL('nowhere.ts', import.meta.url) }));
    await expect(nowhere.run('next', { cost: 1, signal })).rejects.toThrow('nowhere');
    await expect(nowhere.run('next', { cost: 1, signal })).rejects.toThrow('nowhere');
  });
  test('the pool fails waiting jobs after the start timeout', async () => {
    const silent = new URL('../testing/silent-thread.ts', import.meta.url);
    const stuck = (pool = createThreadPool({ module: silent, size: 1, maxStartMs: 1 }));
    const waiting = ['one', 'other'].map((job) => stuck.run(job, { cost: 1, signal }));
    for (const job of waiting) await expect(job).rejects.toMatchObject({ code: 'processor-timeout' });
  });
  test('the pool fails the job of a crashed thread and continues with the next', async () => {
    const { run } = startPool({ size: 1 });
    await expect(run('break', { cost: 1, signal })).rejects.toThrow('ended');
    expect(await run('next', { cost: 1, signal })).toBe('next');
  });
  test("the pool passes a worker's error on", async () => {
    await expect(startPool().run('refuse', { cost: 1, signal })).rejects.toThrow('refused');
  });
  test("the pool rejects a job above the queue's bound", async () => {
    const { run } = startPool({ size: 1 });
    const cancelled = new AbortController();
    const hung = run('loop', { cost: 1, signal: cancelled.signal });
    const waiting = run('next', { cost: 33_554_432, signal });
    await expect(run('more', { cost: 1, signal })).rejects.toMatchObject({ code: 'processor-timeout' });
    cancelled.abort();
    await expect(hung).rejects.toMatchObject({ code: 'processor-timeout' });
    expect(await waiting).toBe('next');
  });
  test('the pool starts threads again after they were idle', async () => {
    const { run } = startPool({ idleMs: 1 });
    expect(await run('first', { cost: 1, signal })).toBe('first');
    expect(await run('second', { cost: 1, signal })).toBe('second');
  });
  test('the pool fails its jobs when it closes', async () => {
    const { run, close } = startPool({ size: 1 });
    const jobs = [run('loop', { cost: 1, signal }), run('next', { cost: 1, signal })];
    const settled = Promise.allSettled(jobs);
    await close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

import { afterEach, describe, expect, test } from 'vitest';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';

const module = new URL('../testing/looping-thread.ts', import.meta.url);
let pool: ThreadPool | undefined;
afterEach(() => pool?.close());

const started = (options: { size?: number; maxJobMs?: number; idleMs?: number } = {}) =>
  (pool = createThreadPool({ module, ...options }));
const { signal } = new AbortController();

describe('a thread pool', () => {
  test('answers every job with its own answer, more of them than it has threads', async () => {
    const { run } = started({ size: 2 });
    const jobs = Array.from({ length: 20 }, (_, at) => `job ${at}`);
    expect(await Promise.all(jobs.map((job) => run(job, { cost: 1, signal })))).toEqual(jobs);
  });
  test('fails a job that takes too long, and goes on with the next', async () => {
    const { run } = started({ size: 1, maxJobMs: 3_000 });
    const hung = run('loop', { cost: 1, signal });
    const next = run('next', { cost: 1, signal });
    await expect(hung).rejects.toMatchObject({ code: 'processor-timeout' });
    expect(await next).toBe('next');
  });
  test('ends the thread of a job that is given up', async () => {
    const { run } = started({ size: 1 });
    const cancelled = new AbortController();
    const hung = run('loop', { cost: 1, signal: cancelled.signal });
    const next = run('next', { cost: 1, signal });
    cancelled.abort();
    await expect(hung).rejects.toMatchObject({ code: 'processor-timeout' });
    expect(await next).toBe('next');
  });
  test('takes a job that is given up out of the queue', async () => {
    const { run } = started({ size: 1, maxJobMs: 3_000 });
    const cancelled = new AbortController();
    const hung = run('loop', { cost: 1, signal });
    const waiting = run('never', { cost: 1, signal: cancelled.signal });
    cancelled.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'processor-timeout' });
    await expect(hung).rejects.toMatchObject({ code: 'processor-timeout' });
  });
  test('keeps a thread that has not started when its job is given up: the next job finds it', async () => {
    const { run } = started({ size: 1 });
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
  test('fails who waits for a thread that cannot start', async () => {
    const nowhere = (pool = createThreadPool({ module: new URL('nowhere.ts', import.meta.url) }));
    await expect(nowhere.run('next', { cost: 1, signal })).rejects.toThrow('nowhere');
    await expect(nowhere.run('next', { cost: 1, signal })).rejects.toThrow('nowhere');
  });
  test('fails who waits for a thread that does not come to its start', async () => {
    const silent = new URL('../testing/silent-thread.ts', import.meta.url);
    const stuck = (pool = createThreadPool({ module: silent, size: 1, maxStartMs: 1 }));
    const waiting = ['one', 'other'].map((job) => stuck.run(job, { cost: 1, signal }));
    for (const job of waiting) await expect(job).rejects.toMatchObject({ code: 'processor-timeout' });
  });
  test('fails the job of a thread that breaks, and goes on with the next', async () => {
    const { run } = started({ size: 1 });
    await expect(run('break', { cost: 1, signal })).rejects.toThrow('ended');
    expect(await run('next', { cost: 1, signal })).toBe('next');
  });
  test('passes on what the thread refused', async () => {
    await expect(started().run('refuse', { cost: 1, signal })).rejects.toThrow('refused');
  });
  test('refuses what would make too much wait', async () => {
    const { run } = started({ size: 1, maxJobMs: 3_000 });
    const hung = run('loop', { cost: 1, signal });
    const waiting = run('next', { cost: 33_554_432, signal });
    await expect(run('more', { cost: 1, signal })).rejects.toMatchObject({ code: 'processor-timeout' });
    await expect(hung).rejects.toMatchObject({ code: 'processor-timeout' });
    expect(await waiting).toBe('next');
  });
  test('starts anew after its threads were idle', async () => {
    const { run } = started({ idleMs: 1 });
    expect(await run('first', { cost: 1, signal })).toBe('first');
    expect(await run('second', { cost: 1, signal })).toBe('second');
  });
  test('fails what it has when it is closed', async () => {
    const { run, close } = started({ size: 1 });
    const jobs = [run('loop', { cost: 1, signal }), run('next', { cost: 1, signal })];
    const settled = Promise.allSettled(jobs);
    await close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

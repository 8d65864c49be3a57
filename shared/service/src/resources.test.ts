import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CLOSE_MS, createResources } from './resources.ts';

test('Resources are released one at a time, the last opened first', async () => {
  const resources = createResources();
  const log: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    resources.add(name, async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
    });
  }
  await resources.release();
  expect(log).toEqual(['third begins', 'third ends', 'second begins', 'second ends', 'first begins', 'first ends']);
});

test('A failed release is reported by name, and the others are released nevertheless', async () => {
  const resources = createResources();
  const log: string[] = [];
  resources.add('first', () => void log.push('first'));
  resources.add('throws', () => {
    throw new Error('at once');
  });
  resources.add('rejects', async () => Promise.reject(new Error('later')));
  resources.add('last', () => void log.push('last'));
  expect(await resources.release()).toEqual([
    { name: 'rejects', error: new Error('later') },
    { name: 'throws', error: new Error('at once') },
  ]);
  expect(log).toEqual(['last', 'first']);
});

test('releasing twice releases once', async () => {
  const resources = createResources();
  let released = 0;
  resources.add('one', () => void (released += 1));
  await Promise.all([resources.release(), resources.release()]);
  await resources.release();
  expect(released).toBe(1);
});

test('A resource that is added during or after the release is released too', async () => {
  const resources = createResources();
  const log: string[] = [];
  resources.add('outer', () => resources.add('during', () => void log.push('during')));
  await resources.release();
  resources.add('after', () => void log.push('after'));
  expect(log).toEqual(['during', 'after']);
});

describe('one deadline', () => {
  test('All releases share the deadline: each receives the remaining time', async () => {
    const resources = createResources();
    const told: number[] = [];
    resources.add('last', (remainingMs) => void told.push(remainingMs()));
    resources.add('slow', async (remainingMs) => {
      told.push(remainingMs());
      await setTimeout(60);
      told.push(remainingMs());
    });
    await resources.release(50);
    expect(told[0]).toBeGreaterThan(0);
    expect(told[0]).toBeLessThanOrEqual(50);
    expect(told.slice(1)).toEqual([0, 0]);
  });

  test('The deadline ends the wait for a hanging release: the others are released, and it is reported by name', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const resources = createResources();
    const log: string[] = [];
    resources.add('first', () => void log.push('first'));
    for (const name of ['hangs', 'hangs too', 'and hangs']) resources.add(name, () => new Promise(() => {}));
    resources.add('last', () => void log.push('last'));
    const released = resources.release(1_000);
    await vi.advanceTimersByTimeAsync(1_000 + CLOSE_MS - 1);
    expect(log).toEqual(['last']);
    await vi.advanceTimersByTimeAsync(10);
    expect((await released).map(({ name }) => name)).toEqual(['and hangs', 'hangs too', 'hangs']);
    expect(log).toEqual(['last', 'first']);
  });
});

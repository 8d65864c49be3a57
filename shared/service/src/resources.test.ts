import { expect, test } from 'vitest';
import { createResources } from './resources.ts';

test('what was opened last is released first, one after the other', async () => {
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

test('what fails is told by name, and the rest is released all the same', async () => {
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

test('what is opened while the rest is released, or behind it, is released too', async () => {
  const resources = createResources();
  const log: string[] = [];
  resources.add('outer', () => resources.add('during', () => void log.push('during')));
  await resources.release();
  resources.add('behind', () => void log.push('behind'));
  expect(log).toEqual(['during', 'behind']);
});

// The tests that docs/promises.md names exist.
import { expect, test } from 'vitest';
import { readTracked } from './workspace.ts';

const rows = [...readTracked('docs/promises.md').matchAll(/^\| (\d+) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, number = '', , file = '', title = '']) => ({ number: Number(number), file, title }),
);

test('docs/promises.md has all nineteen promises', () => {
  expect([...new Set(rows.map(({ number }) => number))]).toEqual(Array.from({ length: 19 }, (_, at) => at + 1));
});

test('docs/promises.md names only tests that exist in their file', () => {
  const missing = rows.filter(({ file, title }) => file !== '–' && !readTracked(file).includes(title));
  expect(missing).toEqual([]);
});

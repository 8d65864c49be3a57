// docs/promises.md names tests that are there.
import { expect, test } from 'vitest';
import { read } from './workspace.ts';

const rows = [...read('docs/promises.md').matchAll(/^\| (\d+) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, number = '', , file = '', title = '']) => ({ number: Number(number), file, title }),
);

test('docs/promises.md has all eighteen promises', () => {
  expect([...new Set(rows.map(({ number }) => number))]).toEqual(Array.from({ length: 18 }, (_, at) => at + 1));
});

test('each test that docs/promises.md names is in its file', () => {
  const missing = rows.filter(({ file, title }) => file !== '–' && !read(file).includes(title));
  expect(missing).toEqual([]);
});

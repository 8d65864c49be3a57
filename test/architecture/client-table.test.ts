// The table of foreign clients in test/e2e/DESIGN.md names tests that exist.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../e2e');
const page = readFileSync(join(folder, 'DESIGN.md'), 'utf8');
const files = new Map(
  [...page.matchAll(/\*\*(\w)\*\*\s+\[[^\]]+\]\(([^)]+)\)/g)].map(([, letter = '', path = '']) => [
    letter,
    readFileSync(join(folder, path), 'utf8'),
  ]),
);
const named = [...page.matchAll(/\| (\w): ([^|]+?) (?=\|)/g)].flatMap(([, letter = '', titles = '']) =>
  letter === 'P' ? splitCases(titles) : [[letter, titles] as const],
);

/** A cell of the clients for Python lists cases. */
function splitCases(titles: string) {
  const isList = /^(openai|litellm) /.test(titles);
  return (isList ? titles.split(', ') : [titles]).map((title) => ['P', title] as const);
}

test('Each test that the table of foreign clients names exists in its file', () => {
  expect(named.length).toBeGreaterThan(60);
  const missing = named.filter(([letter, title]) => !files.get(letter)?.includes(`'${title}'`));
  expect(missing).toEqual([]);
});

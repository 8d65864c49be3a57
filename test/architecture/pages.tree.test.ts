// The pages are short, and their links have targets.
import { expect, test } from 'vitest';
import { countWords, findBrokenLinks, findLongItems } from './page-problems.ts';
import { readPages, readTracked, root } from './workspace.ts';

/** Maximum number of words in all pages together. A page that grows above it repeats another one, or has a section to delete. */
const MAX_WORDS = 82_500;
/** Pages that programs write, and the history. */
const GENERATED = /^docs\/processors\/|^docs\/members\.md$|^CHANGELOG\.md$/;

const pages = readPages().filter(({ path }) => !GENERATED.test(path));

test('every list item is shorter than 90 words', () => {
  const found = pages.flatMap(findLongItems).filter((item) => !item.startsWith('services/orchestrator/DESIGN.md'));
  expect(found).toEqual([]);
});

test('every link of a page has a file or a heading as its target', () => {
  expect(pages.flatMap((page) => findBrokenLinks(page, readTracked, root))).toEqual([]);
});

test('the pages together stay within their number of words', () => {
  const sizes = pages.map(({ path, text }) => ({ path, words: countWords(text) }));
  expect(sizes.length).toBeGreaterThan(50);
  expect(sizes.reduce((sum, { words }) => sum + words, 0)).toBeLessThanOrEqual(MAX_WORDS);
});

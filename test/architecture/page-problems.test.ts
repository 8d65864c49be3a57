// The measure of the pages, on planted texts.
import { describe, expect, test } from 'vitest';
import { findBrokenLinks, findLongItems, listAnchors } from './page-problems.ts';
import { root } from './workspace.ts';

const words = (count: number) => 'word '.repeat(count).trim();

describe('findLongItems', () => {
  const find = (text: string) => findLongItems({ path: 'a.md', text });

  test.each([
    ['an item of 90 words', `- ${words(90)}\n`],
    ['a numbered item over several lines', `1. ${words(45)}\n   ${words(45)}\n`],
    ['an item with a second paragraph', `- ${words(45)}\n\n  ${words(45)}\n`],
    ['an item of a list in an item', `- a\n  - ${words(90)}\n`],
  ])('reports %s', (_kind, text) => {
    expect(find(text)).toEqual([expect.stringMatching(/^a\.md: 90 words in "word/)]);
  });

  test.each([
    ['an item of 89 words', `- ${words(89)}\n`],
    ['two items', `- ${words(60)}\n- ${words(60)}\n`],
    ['a paragraph after a list', `- ${words(60)}\n\n${words(60)}\n`],
    ['a table after an item', `- ${words(60)}\n| ${words(60)} |\n`],
    ['a block of code in an item', `- ${words(60)}\n  \`\`\`\n  ${words(60)}\n  \`\`\`\n`],
  ])('accepts %s', (_kind, text) => {
    expect(find(text)).toEqual([]);
  });
});

test('listAnchors returns the anchors of GitHub, with a number for a repeated heading', () => {
  expect(listAnchors('# A page\n## 6. The `api`\n## Notes\n```\n# no heading\n```\n## Notes\n')).toEqual([
    'a-page',
    '6-the-api',
    'notes',
    'notes-1',
  ]);
});

test('findBrokenLinks reports a missing file and a missing heading, and accepts all others', () => {
  const text =
    '# Here\n[a](README.md) [b](none.md) [c](README.md#none) [d](#here) [e](https://x.example/y) [f](#none)\n';
  const readPage = (path: string) => (path === 'a.md' ? text : '# Other\n');
  expect(findBrokenLinks({ path: 'a.md', text }, readPage, root)).toEqual([
    'a.md: none.md',
    'a.md: README.md#none',
    'a.md: #none',
  ]);
});

// Finds problems of a Markdown page: long list items, and links to a file or a heading that does not exist.
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import type { Source } from './workspace.ts';

/** A longer item is a paragraph: a table, an example or several items. */
const MAX_ITEM_WORDS = 90;

export const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

/** Returns the items of all lists that have too many words, each by its first words. */
export function findLongItems({ path, text }: Source): string[] {
  return splitItems(removeCode(text))
    .filter((item) => countWords(item) >= MAX_ITEM_WORDS)
    .map((item) => `${path}: ${countWords(item)} words in "${item.slice(0, 40)}…"`);
}

/**
 * @param readPage the text of a page by its path, for links to a heading
 * @returns the links of the page without a target
 */
export function findBrokenLinks({ path, text }: Source, readPage: (path: string) => string, root: string): string[] {
  const links = [...removeCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', heading] = link.split('#');
      const target = file === '' ? path : posix.join(posix.dirname(path), file);
      if (file !== '' && !existsSync(posix.join(root, target))) return true;
      return heading !== undefined && target.endsWith('.md') && !listAnchors(readPage(target)).includes(heading);
    })
    .map((link) => `${path}: ${link}`);
}

/** Returns the anchors of all headings, as GitHub forms them. */
export function listAnchors(text: string): string[] {
  const headings = [...removeCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading.trim());
  const anchors = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return anchors.map((anchor, at) => {
    const earlier = anchors.slice(0, at).filter((other) => other === anchor).length;
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  });
}

const removeCode = (text: string): string => text.replaceAll(/^ *```[^]*?^ *```$/gm, '');

/** An item ends at the next item, at an empty line before text that is not indented, and at a table. */
function splitItems(text: string): string[] {
  const items = text.split(/^ *(?:[-*]|\d+\.) /m).slice(1);
  return items.map((item) => item.split(/^ *\||\n\s*\n(?! )|^#/m)[0]?.trim() ?? '');
}

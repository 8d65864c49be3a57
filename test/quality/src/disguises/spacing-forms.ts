// Something between or inside the words that a reader looks past; and the words, or their letters, in another order.
import { characters, eachWord, marked, type DisguiseForm } from './disguise-form.ts';

/** Between the letters of each word. */
const spread = (text: string, between: string): string => eachWord(text, (word) => characters(word).join(between));

export const SPACING_FORMS: Readonly<Record<string, DisguiseForm>> = {
  spaced: (text) =>
    text
      .split(/\s+/)
      .map((word) => characters(word).join(' '))
      .join('   '),
  dotted: (text) => spread(text, '.'),
  hyphenated: (text) => spread(text, '-'),
  underscored: (text) => spread(text, '_'),
  'zero-width': (text) => marked(text, '\u200B'),
  'soft-hyphens': (text) => marked(text, '\u00AD'),
  'tags-inside': (text) => marked(text, '<b></b>'),
  'emphasis-inside': (text) => marked(text, '**'),
  'emoji-inside': (text) => marked(text, '🙂'),
  'lines-inside': (text) => marked(text, '\n'),
  reversed: (text) => characters(text).toReversed().join(''),
  'words-reversed': (text) => eachWord(text, (word) => characters(word).toReversed().join('')),
  'word-order': (text) => text.split(/\s+/).toReversed().join(' '),
};

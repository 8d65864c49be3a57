// Inserts text between or inside the words, or reorders the words or their letters.
import { listCharacters, mapWords, insertMark, type DisguiseForm } from './disguise-form.ts';

/** Inserts text between the letters of each word. */
const spreadLetters = (text: string, between: string): string =>
  mapWords(text, (word) => listCharacters(word).join(between));

export const SPACING_FORMS: Readonly<Record<string, DisguiseForm>> = {
  spaced: (text) =>
    text
      .split(/\s+/)
      .map((word) => listCharacters(word).join(' '))
      .join('   '),
  dotted: (text) => spreadLetters(text, '.'),
  hyphenated: (text) => spreadLetters(text, '-'),
  underscored: (text) => spreadLetters(text, '_'),
  'zero-width': (text) => insertMark(text, '\u200B'),
  'soft-hyphens': (text) => insertMark(text, '\u00AD'),
  'tags-inside': (text) => insertMark(text, '<b></b>'),
  'emphasis-inside': (text) => insertMark(text, '**'),
  'emoji-inside': (text) => insertMark(text, '🙂'),
  'lines-inside': (text) => insertMark(text, '\n'),
  reversed: (text) => listCharacters(text).toReversed().join(''),
  'words-reversed': (text) => mapWords(text, (word) => listCharacters(word).toReversed().join('')),
  'word-order': (text) => text.split(/\s+/).toReversed().join(' '),
};

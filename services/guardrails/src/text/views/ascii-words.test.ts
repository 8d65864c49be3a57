// Tests the lists of words by which marks are found.
import { describe, expect, test } from 'vitest';
import { createWordLists, findAsciiWords, findInLists } from './ascii-words.ts';
import { readUnits } from './unit-kinds.ts';

const letters = Array.from('abcdefghijklmnopqrstuvwxyzabcdefg');
/** Lists without a common word. */
const createLists = (count: number): string[][] =>
  letters.slice(0, count).map((letter, at) => [letter.repeat(1 + at), `${letter}${letter}x${'y'.repeat(at)}`]);

describe('lists of words', () => {
  test('each of 32 lists finds its words and those of no other list', () => {
    const given = createLists(32);
    const lists = createWordLists(given);
    for (const words of given) {
      const text = `- ${words.join(', ')}`;
      const found = findInLists(findAsciiWords(readUnits(text)), lists);
      const own = lists.getNumber(words);
      expect(found[own]).toEqual(words.map((word) => text.search(new RegExp(`\\b${word}\\b`))));
      expect(found.filter((places) => places.length > 0)).toHaveLength(1);
    }
  });

  test('more lists than bits are rejected', () => {
    expect(() => createWordLists(createLists(33))).toThrow('33 lists of words exceed 32.');
  });

  test('equal lists have one number', () => {
    const lists = createWordLists([['say'], ['only', 'just'], ['say']]);
    expect(lists.count).toBe(2);
    expect([lists.getNumber(['say']), lists.getNumber(['only', 'just'])]).toEqual([0, 1]);
  });

  test('the number of an unknown list is rejected', () => {
    expect(() => createWordLists([['say']]).getNumber(['reply'])).toThrow('There is no list of the words "reply".');
  });

  test('a word that the search cannot find is rejected', () => {
    expect(() => createWordLists([["don't"]])).toThrow(`"don't" is no word of ASCII letters.`);
  });
});

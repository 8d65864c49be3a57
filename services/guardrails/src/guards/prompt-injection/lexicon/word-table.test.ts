import { expect, test } from 'vitest';
import { readUnits } from '../../../text/views/unit-kinds.ts';
import { EMPTY_HASH, hashWord } from '../../../text/views/ascii-words.ts';
import { createEntry } from './entry.ts';
import { createWordTable } from './word-table.ts';

const known = new Map(['ignore', 'dont', 'a'].map((word) => [word, createEntry()]));
const table = createWordTable((word) => known.get(word));

test('the table finds a word in any case and with apostrophes', () => {
  const text = "IGNORE Don't 12 a";
  const read = (word: string) => {
    const start = text.indexOf(word);
    return table.read(readUnits(text), start, start + word.length, hashWord(word));
  };
  expect(read('IGNORE')).toMatchObject({ text: 'ignore', entry: known.get('ignore'), canRepeat: true });
  expect(read("Don't")).toMatchObject({ text: 'dont', entry: known.get('dont'), canRepeat: true });
  expect(read('12')).toMatchObject({ text: '12', entry: undefined, canRepeat: false });
  expect(read('a')).toMatchObject({ text: 'a', entry: known.get('a'), canRepeat: false });
});

test('words with the same hash keep their entries', () => {
  const words = [...Array.from({ length: 40 }, (_, at) => `word${at}`), 'ignore'];
  for (const word of [...words, ...words.toReversed()]) {
    const { text, entry } = table.read(readUnits(word), 0, word.length, EMPTY_HASH);
    expect(text).toBe(word);
    expect(entry).toBe(known.get(word));
  }
});

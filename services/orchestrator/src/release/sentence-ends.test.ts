import { expect, test } from 'vitest';
import { MAX_SENTENCE_CHARS, countWholeSentences } from './chunk-buffer.ts';

test.each([
  ['', 0],
  ['No end yet', 0],
  ['It ends. ', 0],
  ['It ends. And', 'It ends. '.length],
  ['One. Two. Three', 'One. Two. '.length],
  ['The price is 3.14', 0],
  ['A line\nand another', 'A line\n'.length],
  ['終わり。次', '終わり。'.length],
])('of %j, %d characters are whole sentences: the last one is never decided', (text, chars) => {
  expect(countWholeSentences(text)).toBe(chars);
});

test('a sentence without an end is released when it is too long', () => {
  expect(countWholeSentences('a'.repeat(MAX_SENTENCE_CHARS))).toBe(0);
  expect(countWholeSentences('a'.repeat(MAX_SENTENCE_CHARS + 1))).toBe(MAX_SENTENCE_CHARS + 1);
});

import { expect, test } from 'vitest';
import { escapeMasks, splitMasks } from './masks.ts';

test.each(['***@***.***', '[REDACTED]', '[EMAIL_1]', '[CARD:3f2a9c]', '[API-KEY_2]'])('%s is a mask', (mask) => {
  expect(splitMasks(`My ${mask}.`)).toEqual([
    { text: 'My ', isMask: false },
    { text: mask, isMask: true },
    { text: '.', isMask: false },
  ]);
});

test.each(['[link](x)', '[x]', '[Redacted]', '**bold**', 'a@b.c', '[1]'])('%s is no mask', (text) => {
  expect(splitMasks(text)).toEqual([{ text, isMask: false }]);
});

test('The stars of a mask are escaped for markdown, and emphasis is not', () => {
  expect(escapeMasks('**To** ***@***.***')).toBe(String.raw`**To** \*\*\*@\*\*\*.\*\*\*`);
});

import { describe, expect, test } from 'vitest';
import { LISTS, PHRASE_GROUPS } from './phrase-groups.ts';
import { compileGroup } from './phrase-notation.ts';

const lists = { colour: 'red|dark blue' };
const group = (phrase: string, more = {}) =>
  new RegExp(`^ (?<= )${compileGroup({ id: 'x', says: '', phrases: [phrase], ...more }, lists)}`);

describe('the notation', () => {
  test.each([
    ['a (b|c d)? e', ' a e ', ' a b e ', ' a c d e '],
    ['the <colour> <colour>? ball', ' the red ball ', ' the dark blue red ball '],
    ['say .. no', ' say no ', ' say it is no ', ' say one two three no '],
  ])('%s', (phrase, ...texts) => expect(texts.filter((text) => !group(phrase).test(text))).toEqual([]));
  test.each([
    ['a (b|c d)? e', ' a c e ', ' ab e '],
    ['the <colour> ball', ' the ball ', ' the blue ball ', ' the red balls '],
    ['say .. no', ' say one two three four no '],
  ])('%s is not', (phrase, ...texts) => expect(texts.filter((text) => group(phrase).test(text))).toEqual([]));
  test('notBefore looks after the phrase', () => {
    expect(group('mode', { notBefore: '(on|in)' }).test(' mode on ')).toBe(false);
    expect(group('mode', { notBefore: '(on|in)' }).test(' mode once ')).toBe(true);
  });
  test('a list that is not there is named', () => expect(() => group('<shape>')).toThrow('<shape>'));
});

test('every list is used, every group is named once', () => {
  const all = PHRASE_GROUPS.flatMap(({ phrases }) => phrases).join(' ');
  expect(Object.keys(LISTS).filter((name) => !all.includes(`<${name}>`))).toEqual([]);
  const ids = PHRASE_GROUPS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

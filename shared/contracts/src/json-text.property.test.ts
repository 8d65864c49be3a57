import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isExact, readWithText, replaceInexact, writeWithText } from './json-text.ts';
import { jsonTexts } from './testing/json-texts.ts';

describe('the text of a JSON value', () => {
  test('A value that no processor changed is written as its text', () => {
    fc.assert(
      fc.property(jsonTexts(), (text) => {
        const { value, text: kept } = readWithText(text);
        // Between processes the value travels as JSON.
        const travelled = JSON.parse(JSON.stringify({ value, kept }));
        expect(writeWithText(travelled.value, travelled.kept, 'args')).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test('A changed member is rewritten, and the other members keep their text', () => {
    fc.assert(
      fc.property(jsonTexts({ hasDuplicates: false }), fc.string(), (text, changed) => {
        const { value, text: kept } = readWithText(`{"own": ${text} , "other": "old"}`);
        if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object');
        const written = writeWithText({ ...value, other: changed }, kept, 'args');
        expect(written).toBe(`{"own":${text},"other":${JSON.stringify(changed)}}`);
      }),
      { numRuns: 2_000 },
    );
  });

  test('A number that would be rounded in another place is refused with its path', () => {
    const { value, text } = readWithText('{"ids": [1, 1456181302800679079]}');
    if (text === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error('no text');
    const [, id] = Array.isArray(value['ids']) ? value['ids'] : [];
    expect(() => writeWithText({ ids: [id ?? null] }, text, 'args')).toThrow(
      expect.objectContaining({ code: 'number-inexact', path: 'args.ids[0]' }),
    );
    expect(writeWithText({ ids: [2, id ?? null] }, text, 'args')).toBe('{"ids":[2,1456181302800679079]}');
    expect(writeWithText({ ids: [] }, text, 'args')).toBe('{"ids":[]}');
  });

  test('A text with a member twice is a string: no reader may choose one of the two', () => {
    expect(readWithText('{"a":1,"\\u0061":2}')).toEqual({ value: '{"a":1,"\\u0061":2}', text: '{"a":1,"\\u0061":2}' });
    expect(writeWithText({ a: 2 }, '{"a":1,"a":2}', 'args')).toBe('{"a":2}');
  });

  test.each([
    ['9007199254740993', false],
    ['1456181302800679200', true],
    ['1e400', false],
    ['1e-400', false],
    ['10.50', true],
    ['1E2', true],
    ['-0', true],
    ['0.1', true],
    ['0.10000000000000000555', false],
    ['12345678901234567e-3', false],
  ])('A double holds %s: %s', (number, isHeld) => expect(isExact(number)).toBe(isHeld));

  test('Numbers that a double does not have are replaced, and others are not', () => {
    const text = '{"a":[1456181302800679079,1.5,"1456181302800679079"],"b":1e400}';
    const { value } = readWithText(text);
    expect(replaceInexact(value, text, (number) => `#${number}`)).toEqual({
      a: ['#1456181302800679079', 1.5, '1456181302800679079'],
      b: '#1e400',
    });
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachTexts, isExact, measureJson, readWithText, replaceInexact, writeWithText } from './json-text.ts';
import { jsonTexts } from '../testing/json-texts.ts';

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
    ['0e12', true],
    ['0e4111111111111111', false],
  ])('A double holds %s: %s', (number, isHeld) => expect(isExact(number)).toBe(isHeld));

  test('Numbers that a double does not have are replaced, and others are not', () => {
    const text = '{"a":[1456181302800679079,1.5,"1456181302800679079"],"b":1e400}';
    const { value } = readWithText(text);
    expect(replaceInexact(value, text, (number) => `#${number}`)).toEqual({
      a: ['#1456181302800679079', 1.5, '1456181302800679079'],
      b: '#1e400',
    });
  });

  test('An infinite number that a processor has moved is refused, and a null of the text is not', () => {
    expect(() => writeWithText([null], '[1,1e400]', 'args')).toThrow(
      expect.objectContaining({ code: 'number-inexact', path: 'args[0]' }),
    );
    expect(writeWithText([2, null], '[1,1e400]', 'args')).toBe('[2,1e400]');
    expect(writeWithText([2, null], '[1, null]', 'args')).toBe('[2,null]');
  });

  test('A value is as long as the longer of its JSON and its text', () => {
    expect([measureJson('abc'), measureJson('abc', 'x'), measureJson([1], '[ 1 ]')]).toEqual([5, 5, 5]);
  });
});

describe('the texts of a request', () => {
  const read = (text: string): unknown => attachTexts(JSON.parse(text), text, 'request');

  test.each([
    ['a part of a page', '{"messages":[{"parts":[{"input":{"id": 1}}]}]}', 'messages.0.parts.0.inputText'],
    [
      'a call of a message',
      '{"messages":[{"content":{"parts":[{"toolInvocation":{"args":1.0}}]}}]}',
      'messages.0.content.parts.0.toolInvocation.argsText',
    ],
    ['the answer to a call', '{"data":{"output":[ ]}}', 'data.outputText'],
  ])('are added to %s', (_what, text, path) => {
    const found = path.split('.').reduce<unknown>((value, name) => Object(value)[name], read(text));
    expect(found).toEqual(expect.any(String));
  });

  test.each([
    ['a schema with one member', '{"tools":[{"parameters":{"properties":{"output": {"type": "string"}}}}]}'],
    ['a context of a caller', '{"requestContext":{"toolCallId":"c1","input":{"a": 1},"output":1.0}}'],
    ['a form of an agent', '{"schema":{"default":{"toolCallId":"c1","args":[ ]}}}'],
    ['an object in the form of a reply', '{"messages":[],"sequence":1,"replica":"r","result":{"a": 1}}'],
  ])('are not added to %s', (_what, text) => expect(read(text)).toEqual(JSON.parse(text)));
});

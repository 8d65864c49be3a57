import { describe, expect, test } from 'vitest';
import { findSchemaProblems } from './json-schema.ts';

const schema = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1 },
    mode: { enum: ['a', 'b'] },
    list: { items: { type: 'string' } },
  },
  required: ['limit'],
  additionalProperties: false,
};

describe('a value under a JSON Schema', () => {
  test('that fits has no problem', () => {
    expect(findSchemaProblems(schema, { limit: 3, mode: 'a', list: ['x'] })).toEqual([]);
  });

  test.each(['constructor', 'toString', '__proto__'])('has no member %s that every object inherits', (name) => {
    expect(findSchemaProblems({ type: 'object', required: [name] }, {})).toEqual([
      { path: '', message: expect.stringContaining(name) },
    ]);
    expect(findSchemaProblems({ type: 'object', properties: { [name]: { type: 'string' } } }, {})).toEqual([]);
  });

  test.each([
    [{}, '', /limit/],
    [{ limit: '3' }, '.limit', /integer/],
    [{ limit: 0 }, '.limit', />= 1/],
    [{ limit: 1, mode: 'c' }, '.mode', /\["a","b"\]/],
    [{ limit: 1, extra: true }, '.extra', /no option "extra"/],
    [{ limit: 1, list: ['x', 2] }, '.list[1]', /string/],
    ['text', '', /object/],
  ])('that does not match (%j) is reported with path and reason', (value, path, message) => {
    expect(findSchemaProblems(schema, value)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test('shows all its problems', () => {
    expect(findSchemaProblems(schema, { limit: 0, mode: 'c', extra: 1 })).toHaveLength(3);
  });

  test('is not changed by the check', () => {
    const value = { limit: 1 };
    findSchemaProblems({ ...schema, properties: { ...schema.properties, more: { default: 5 } } }, value);
    expect(value).toEqual({ limit: 1 });
  });
});

describe('alternatives of a JSON Schema', () => {
  const oneOfTwo = {
    anyOf: [{ required: ['words'], properties: { words: { minItems: 1 } } }, { required: ['model'] }],
  };

  test.each([{}, { words: [] }])('that ask for members are one problem that names them: %j', (value) => {
    const [problem, ...others] = findSchemaProblems(oneOfTwo, value);
    expect(problem?.message).toMatch(/^must have ("words" or )?"model"$/);
    expect(others).toEqual([]);
  });

  test('of several items are one problem each, with the names of that item', () => {
    const list = { type: 'array', items: oneOfTwo };
    expect(findSchemaProblems(list, [{}, { model: 'x' }, { words: [] }])).toEqual([
      { path: '[0]', message: 'must have "words" or "model"' },
      { path: '[2]', message: 'must have "model"' },
    ]);
  });

  test('with other problems are listed with all of them', () => {
    const messages = findSchemaProblems({ anyOf: [{ type: 'string' }, { required: ['use'] }] }, {}).map(
      ({ message }) => message,
    );
    expect(messages).toEqual(expect.arrayContaining(['must be string', expect.stringContaining("'use'")]));
  });
});

describe('a foreign JSON Schema', () => {
  test('that is broken is a problem, not a throw', () => {
    expect(findSchemaProblems({ type: 'objekt' }, {})).toEqual([
      { path: '', message: expect.stringContaining('cannot be checked') },
    ]);
  });

  test('with an unresolved reference is a problem, not a throw', () => {
    expect(findSchemaProblems({ $ref: 'https://example.com/none.json' }, {})).toHaveLength(1);
  });

  test('may have any $schema, and unknown formats and vocabularies', () => {
    const other = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#', format: 'made-up', 'x-other': 1 };
    expect(findSchemaProblems(other, { limit: 1 })).toEqual([]);
  });

  test('may have the $id of another one', () => {
    const shared = { $id: 'https://example.com/args', type: 'object' };
    expect(findSchemaProblems({ ...shared, required: ['a'] }, { a: 1 })).toEqual([]);
    expect(findSchemaProblems({ ...shared, required: ['b'] }, { b: 1 })).toEqual([]);
    expect(findSchemaProblems({ ...shared, required: ['b'] }, { a: 1 })).toHaveLength(1);
  });
});

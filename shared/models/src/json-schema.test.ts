import type { JsonSchema } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { assertJsonSchema, findMisfit } from './json-schema.ts';

const limited: JsonSchema = { type: 'object', properties: { limit: { type: 'integer' } }, required: ['limit'] };

test('A valid value has no misfit, and an invalid one has its path and problem', () => {
  expect(findMisfit(limited, { limit: 3 })).toBeUndefined();
  expect(findMisfit(limited, { limit: 'three' })).toBe('/limit must be integer');
  expect(findMisfit(limited, {})).toBe("$ must have required property 'limit'");
});

test.each([
  ['a type that there is not', { type: 'objekt' }],
  ['a word of the wrong kind, deep inside', { properties: { list: { items: { minLength: 'one' } } } }],
  ['a pattern that is none', { pattern: '(' }],
  ['a reference to an undefined schema', { $ref: 'https://example.com/none.json' }],
])('a schema with %s is refused, also the second time', (_, schema: JsonSchema) => {
  for (const again of [schema, schema, { ...schema }]) {
    expect(() => assertJsonSchema(again)).toThrow(expect.objectContaining({ code: 'options-invalid' }));
  }
});

test('two schemas may have the same $id: neither is held against the other', () => {
  const $id = 'https://example.com/answer';
  expect(findMisfit({ $id, type: 'string' }, 'text')).toBeUndefined();
  expect(findMisfit({ $id, type: 'number' }, 'text')).toBe('$ must be number');
});

test('a schema may name any dialect, and refer to the dialect’s own schema', () => {
  expect(findMisfit({ ...limited, $schema: 'http://json-schema.org/draft-07/schema#' }, { limit: 1 })).toBeUndefined();
  const schemaOfSchemas: JsonSchema = { $ref: 'https://json-schema.org/draft/2020-12/schema' };
  expect(findMisfit(schemaOfSchemas, { type: 'string' })).toBeUndefined();
  expect(findMisfit(schemaOfSchemas, { type: 'objekt' })).toContain('/type must be equal to one of');
});

import { toJsonSchema, type JsonObject } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { optionsSchema } from './options.ts';

describe('options of working memory', () => {
  test('every option has a default or may be left out', () => {
    expect(optionsSchema.parse({})).toEqual({
      scope: 'resource',
      strategy: 'merge',
      arrays: 'append',
      readOnly: false,
    });
    expect(toJsonSchema(optionsSchema)).toMatchObject({ type: 'object', additionalProperties: false });
  });

  test('parsed options can be parsed again', () => {
    const once = optionsSchema.parse({ template: '{{a}}', model: 'openai/gpt-5-mini' });
    expect(optionsSchema.parse(once)).toEqual(once);
  });

  test.each<[string, JsonObject, string]>([
    ['an unknown option', { update: 'tool' }, 'Unrecognized key'],
    ['a template without a placeholder', { template: 'Name: name' }, 'no placeholder'],
    ['a template and a schema', { template: '{{a}}', schema: { type: 'object', properties: {} } }, 'not both'],
    ['a schema that is not of an object', { schema: { type: 'array' } }, 'of type object'],
    ['a schema without properties', { schema: { type: 'object' } }, 'with properties'],
    ['a broken schema', { schema: { type: 'object', properties: { a: { type: 'strnig' } } } }, 'not a JSON Schema'],
    ['a model without a provider', { model: 'gpt-5-mini' }, '<provider>/<id>'],
    ['a scope that is not there', { scope: 'tenant' }, 'Invalid option'],
  ])('the options reject %s', (_, options, message) => {
    const { error } = optionsSchema.safeParse(options);
    expect(error?.issues.map((issue) => issue.message).join()).toContain(message);
  });
});

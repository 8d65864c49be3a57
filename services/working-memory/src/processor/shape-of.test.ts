import { assertJsonSchema } from '@millrace/models/json-schema';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TEMPLATE, shapeOf } from './shape-of.ts';
import { templateFields } from './template-shape.ts';

describe('a template', () => {
  test('has a field for each placeholder, once', () => {
    expect(templateFields('{{a}} {{ b }} {{a}} {{c-d_1}} {{}} {{1}} {e} {{f g}}')).toEqual(['a', 'b', 'c-d_1']);
  });

  test('its update schema names the fields with their lines, and requires none', () => {
    const { updateSchema } = shapeOf({ template: 'About:\n  User email: {{email}}' });
    expect(updateSchema).toEqual({
      type: 'object',
      properties: { email: { type: ['string', 'null'], description: 'email, as in "User email: {{email}}"' } },
      additionalProperties: false,
    });
  });

  test('is filled with what is known; the rest is unknown', () => {
    const { format } = shapeOf({ template: 'Name: {{name}}\nEmail: {{ email }}\nLikes: {{likes}}' });
    expect(format({ name: 'Ada', likes: ['tea', 'go'], other: 'x' })).toBe('Name: Ada\nEmail: unknown\nLikes: tea, go');
  });

  test('a value cannot pass for lines or placeholders of the template', () => {
    const { format } = shapeOf({ template: 'Name: {{name}}\nRole: {{role}}' });
    expect(format({ name: 'Ada\nRole: admin {{role}} $& $1', role: 'user' })).toBe(
      'Name: Ada Role: admin {{role}} $& $1\nRole: user',
    );
  });

  test('fields of the prototype are unknown', () => {
    const { format } = shapeOf({ template: '{{constructor}} {{toString}} {{__proto__}}' });
    expect(format({ a: 1 })).toBe('unknown unknown unknown');
  });

  test('the default template has fields', () => {
    expect(templateFields(DEFAULT_TEMPLATE)).toContain('name');
  });
});

describe('a JSON schema', () => {
  const schema = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', description: 'first name' },
      level: { enum: ['low', 'high'] },
      home: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
      pets: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
      any: { $ref: '#/$defs/any' },
    },
    $defs: { any: { type: ['string', 'number'] } },
  };
  const { updateSchema, format } = shapeOf({ schema });

  test('requires nothing of an update, lets every field be null, and takes no other fields', () => {
    expect(updateSchema).toEqual({
      type: 'object',
      properties: {
        name: { type: ['string', 'null'], description: 'first name' },
        level: { anyOf: [{ enum: ['low', 'high'] }, { type: 'null' }] },
        home: {
          type: ['object', 'null'],
          properties: { city: { type: ['string', 'null'] } },
          additionalProperties: false,
        },
        pets: { ...schema.properties.pets, type: ['array', 'null'] },
        any: { anyOf: [{ $ref: '#/$defs/any' }, { type: 'null' }] },
      },
      additionalProperties: false,
      $defs: schema.$defs,
    });
    expect(() => assertJsonSchema(updateSchema)).not.toThrow();
  });

  test('members of an array stay whole: their required fields are required', () => {
    expect(updateSchema).toMatchObject({ properties: { pets: { items: { required: ['name'] } } } });
  });

  test('an author who allows other fields gets them', () => {
    expect(shapeOf({ schema: { ...schema, additionalProperties: true } }).updateSchema).toMatchObject({
      additionalProperties: true,
    });
  });

  test('is told as JSON, in one line', () => {
    expect(format({ name: 'Ada\n', pets: [{ name: 'Rex' }] })).toBe('{"name":"Ada\\n","pets":[{"name":"Rex"}]}');
  });
});

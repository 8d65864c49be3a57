import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { API } from './api.ts';
import { SCHEMA_NAMES, buildJsonSchemas } from './json-schemas.ts';
import { buildTextMessage } from '../message/message.ts';

const all = buildJsonSchemas();
const definitions = all?.['$defs'];
const readDefinition = (name: string): Record<string, unknown> => Object(Object(definitions)[name]);
/** Compiled validators are used only a few times: compiling each part separately is fastest. */
const quickly = { inlineRefs: false, code: { optimize: false } };
const ajv = new Ajv2020({ strict: false, validateFormats: false, ...quickly });

test('Every wire document and every verb has a JSON Schema that is plain JSON', () => {
  const wire = ['stage-call', 'stage-reply', 'verdict', 'chunk', 'message', 'run-state', 'run-event', 'agent', 'error'];
  const verbs = Object.keys(API).flatMap((verb) => [`api.${verb}.request`, `api.${verb}.answer`]);
  expect(Object.keys(Object(definitions))).toEqual(expect.arrayContaining([...wire, ...verbs]));
  expect(Object.keys(Object(definitions)).toSorted()).toEqual(SCHEMA_NAMES.toSorted());
  expect(JSON.parse(JSON.stringify(all))).toEqual(all);
});

test('Schemas refer to each other instead of repeating definitions: together they have a few hundred kilobytes', () => {
  expect(JSON.stringify(all).length).toBeLessThan(320_000);
  expect(JSON.stringify(readDefinition('stage-reply'))).toContain('"$ref":"#/$defs/verdict"');
  expect(JSON.stringify(readDefinition('api.submit.request'))).toBe('{"$ref":"#/$defs/run-request"}');
});

test.each(SCHEMA_NAMES)('The schema of %s is self-contained: it is valid and includes its references', (name) => {
  const schema = buildJsonSchemas(name);
  expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  expect(ajv.validateSchema(Object(schema))).toBe(true);
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)];
  for (const [, target] of references) expect(schema).toHaveProperty(['$defs', String(target)]);
});

test('buildJsonSchemas of an unknown name returns undefined', () => {
  expect(buildJsonSchemas('constructor')).toBeUndefined();
});

test('The schemas describe the input form: members with a default are optional', () => {
  expect(readDefinition('agent')['required']).toEqual(['name', 'model']);
});

test('The JSON Schemas reject the values that the zod schemas reject', () => {
  const agent = ajv.compile(Object(buildJsonSchemas('agent')));
  expect(agent({ name: 'a', model: 'openai/x', input: ['pii', { use: 'keyword' }] })).toBe(true);
  expect(agent({ name: 'a', model: 'openai/x', colour: 'red' })).toBe(false);
  expect(agent({ name: 'a b', model: 'openai/x' })).toBe(false);
  const verdict = ajv.compile(Object(buildJsonSchemas('verdict')));
  expect(verdict({ type: 'abort', reason: 'no' })).toBe(true);
  expect(verdict({ type: 'explode' })).toBe(false);
  const message = ajv.compile(Object(buildJsonSchemas('message')));
  expect(message(buildTextMessage('m', 'user', 'hi'))).toBe(true);
  expect(message({ ...buildTextMessage('m', 'user', 'hi'), role: 'nobody' })).toBe(false);
});

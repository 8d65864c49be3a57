import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { API } from './api.ts';
import { SCHEMA_NAMES, jsonSchemas } from './json-schemas.ts';
import { textMessage } from './message.ts';

const all = jsonSchemas();
const definitions = all?.['$defs'];
const definitionOf = (name: string): Record<string, unknown> => Object(Object(definitions)[name]);
/** What it compiles is used a few times: each part on its own is compiled soonest. */
const quickly = { inlineRefs: false, code: { optimize: false } };
const ajv = new Ajv2020({ strict: false, validateFormats: false, ...quickly });

test('every document of the wire and every verb has a JSON Schema that is plain JSON', () => {
  const wire = ['stage-call', 'stage-reply', 'verdict', 'chunk', 'message', 'run-state', 'run-event', 'agent', 'error'];
  const verbs = Object.keys(API).flatMap((verb) => [`api.${verb}.request`, `api.${verb}.answer`]);
  expect(Object.keys(Object(definitions))).toEqual(expect.arrayContaining([...wire, ...verbs]));
  expect(Object.keys(Object(definitions)).toSorted()).toEqual(SCHEMA_NAMES.toSorted());
  expect(JSON.parse(JSON.stringify(all))).toEqual(all);
});

test('schemas refer to each other instead of repeating each other: all of them are a few hundred kilobytes', () => {
  expect(JSON.stringify(all).length).toBeLessThan(200_000);
  expect(JSON.stringify(definitionOf('stage-reply'))).toContain('"$ref":"#/$defs/verdict"');
  expect(JSON.stringify(definitionOf('api.submit.request'))).toBe('{"$ref":"#/$defs/run-request"}');
});

test.each(SCHEMA_NAMES)('the schema of %s stands alone: it is valid, and all that it refers to is with it', (name) => {
  const schema = jsonSchemas(name);
  expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  expect(ajv.validateSchema(Object(schema))).toBe(true);
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)];
  for (const [, target] of references) expect(schema).toHaveProperty(['$defs', String(target)]);
});

test('there is no schema of a name that nobody knows', () => {
  expect(jsonSchemas('constructor')).toBeUndefined();
});

test('the schemas describe what is sent: what has a default may be left out', () => {
  expect(definitionOf('agent')['required']).toEqual(['name', 'model']);
});

test('the schemas refuse what ours refuse', () => {
  const agent = ajv.compile(Object(jsonSchemas('agent')));
  expect(agent({ name: 'a', model: 'openai/x', input: ['pii', { use: 'keyword' }] })).toBe(true);
  expect(agent({ name: 'a', model: 'openai/x', colour: 'red' })).toBe(false);
  expect(agent({ name: 'a b', model: 'openai/x' })).toBe(false);
  const verdict = ajv.compile(Object(jsonSchemas('verdict')));
  expect(verdict({ type: 'abort', reason: 'no' })).toBe(true);
  expect(verdict({ type: 'explode' })).toBe(false);
  const message = ajv.compile(Object(jsonSchemas('message')));
  expect(message(textMessage('m', 'user', 'hi'))).toBe(true);
  expect(message({ ...textMessage('m', 'user', 'hi'), role: 'nobody' })).toBe(false);
});

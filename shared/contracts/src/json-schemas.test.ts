import { expect, test } from 'vitest';
import { API } from './api.ts';
import { jsonSchemas } from './json-schemas.ts';

const schemas = jsonSchemas();

test('every document of the wire and every verb has a JSON Schema that is plain JSON', () => {
  for (const name of [
    'stage-call',
    'stage-reply',
    'verdict',
    'chunk',
    'message',
    'run-state',
    'run-event',
    'agent',
    'error',
  ]) {
    expect(schemas).toHaveProperty([name]);
  }
  for (const verb of Object.keys(API)) {
    expect(schemas).toHaveProperty([`api.${verb}.request`]);
    expect(schemas).toHaveProperty([`api.${verb}.answer`]);
  }
  expect(JSON.parse(JSON.stringify(schemas))).toEqual(schemas);
});

test('they say their dialect', () => {
  for (const schema of Object.values(schemas))
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
});

test('they describe what is sent: what has a default may be left out', () => {
  expect(schemas['agent']?.['required']).toEqual(['name', 'model']);
});

test('they refuse what the schemas refuse: an agent has no further members, a verdict is one of a union', () => {
  expect(schemas['agent']?.['additionalProperties']).toBe(false);
  const verdicts = schemas['verdict']?.['oneOf'] ?? schemas['verdict']?.['anyOf'];
  expect(verdicts).toHaveLength(8);
});

import { jsonValueSchema, writeWithText, type JsonValue } from '@millrace/contracts';
import { commonArgs, toolCallArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toolParameters } from './tool-parameters.ts';

/** The call of the testkit has the tool `notes`. */
function change(rule: object, value: JsonValue) {
  const args = toolCallArgs(value, commonArgs());
  const processor = toolParameters.create(toolParameters.options.parse({ rules: [{ tools: ['notes'], ...rule }] }));
  return { answer: processor.processToolCall?.(args), violations: args.violations };
}

test.each<[string, object, JsonValue, JsonValue]>([
  ['sets a member', { set: { '/a': 1 } }, { a: 2, b: 3 }, { a: 1, b: 3 }],
  ['creates the objects on the way', { set: { '/a/b': 1 } }, {}, { a: { b: 1 } }],
  ['sets an element', { set: { '/a/1/b': 1 } }, { a: [0, { b: 2 }] }, { a: [0, { b: 1 }] }],
  ['completes a member', { defaults: { '/a': 1, '/b': 2 } }, { a: 0 }, { a: 0, b: 2 }],
  ['keeps a null', { defaults: { '/a': 1, '/b': 2 } }, { a: null }, { a: null, b: 2 }],
  ['removes a member', { remove: ['/a/b'] }, { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
  ['removes an element', { remove: ['/a/0'] }, { a: [1, 2] }, { a: [2] }],
  [
    'removes, completes and sets, in this order',
    { remove: ['/a'], defaults: { '/a': 1 }, set: { '/b': 2 } },
    { a: 0 },
    { a: 1, b: 2 },
  ],
  ['reads escaped names', { set: { '/a~1b/~0': 1 } }, {}, { 'a/b': { '~': 1 } }],
  ['reads an empty name', { set: { '/': 1 } }, {}, { '': 1 }],
])('a rule %s', (_, rule, value, args) => expect(change(rule, value).answer).toEqual({ args }));

test.each<[string, object, JsonValue]>([
  ['of another tool', { tools: ['other'], set: { '/a': 1 } }, {}],
  ['with members that are there', { set: { '/a': 1 } }, { a: 1 }],
  ['that removes absent members', { remove: ['/a', '/b/c', '/d/0', '/d/x'] }, { b: 'text', d: [] }],
])('a rule %s changes nothing', (_, rule, value) => expect(change(rule, value).answer).toBeUndefined());

test.each<[string, string, JsonValue]>([
  ['a text on the way', '/a/b', { a: 'text' }],
  ['an absent element', '/a/1', { a: [0] }],
  ['a name of an array', '/a/length', { a: [0] }],
  ['arguments that are no object', '/a', 'text'],
])('%s is denied with the pointer', (_, pointer, value) => {
  const { answer, violations } = change({ set: { [pointer]: 1 } }, value);
  expect(answer).toEqual({
    deny: true,
    code: 'no-place-for-argument',
    reason: `The arguments have no place for ${pointer}.`,
  });
  expect(violations).toMatchObject([{ rule: 'no-place-for-argument', detail: { pointer } }]);
});

describe('the text of the arguments', () => {
  test('unchanged values keep their digits', () => {
    const text = '{"id": 12345678901234567890, "limit": 5}';
    const { answer } = change({ set: { '/limit': 1 }, defaults: { '/page': 0 } }, JSON.parse(text));
    const { args } = z.object({ args: jsonValueSchema }).parse(answer);
    expect(writeWithText(args, text, 'args')).toBe('{"id":12345678901234567890,"limit":1,"page":0}');
  });
});

test('names of Object.prototype are members like others', () => {
  const given: JsonValue = JSON.parse('{"__proto__":{"b":1}}');
  const { answer } = change({ set: { '/__proto__/polluted': true, '/constructor/a': 1 } }, given);
  expect(JSON.stringify(answer)).toBe('{"args":{"__proto__":{"b":1,"polluted":true},"constructor":{"a":1}}}');
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test.each(['', 'a', '/a~', '/a~2'])('the pointer %j is refused', (pointer) => {
  expect(toolParameters.options.safeParse({ rules: [{ tools: ['*'], remove: [pointer] }] }).success).toBe(false);
});

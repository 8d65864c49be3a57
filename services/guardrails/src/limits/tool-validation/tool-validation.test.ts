import type { JsonValue } from '@millrace/contracts';
import { commonArgs, toolCallArgs } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { BOUNDS } from '../../work/bounds.ts';
import { closeThreads } from '../../work/task.ts';
import { toolValidation } from './tool-validation.ts';

afterAll(closeThreads);

/** The call of the testkit has the tool `notes`. */
async function validate(rules: object[], value: JsonValue, argsText?: string) {
  const args = toolCallArgs(value, commonArgs());
  if (argsText !== undefined) args.toolCall.argsText = argsText;
  const answer = await toolValidation.create(toolValidation.options.parse({ rules })).processToolCall?.(args);
  return { answer, violations: args.violations };
}
const schema = { type: 'object', required: ['to'], properties: { to: { type: 'string', pattern: '@acme\\.com$' } } };

describe('a schema', () => {
  test('arguments that fit it pass', async () => {
    expect(await validate([{ tools: ['notes'], schema }], { to: 'ada@acme.com' })).toEqual({ violations: [] });
  });
  test('other arguments are denied with the place and without their values', async () => {
    const { answer, violations } = await validate([{ tools: ['no*'], schema }], { to: 'eve@evil.example' });
    const reason = 'The arguments are not accepted: /to must match pattern "@acme\\.com$".';
    expect(answer).toEqual({ deny: true, code: 'arguments-not-accepted', reason });
    expect(violations).toMatchObject([{ strategy: 'deny', detail: { toolName: 'notes', rule: 0 } }]);
    expect(JSON.stringify([answer, violations])).not.toContain('evil');
  });
  test('the reason of the rule replaces the place', async () => {
    const { answer } = await validate([{ tools: ['*'], schema, reason: 'Write to Acme.' }], {});
    expect(answer).toMatchObject({ reason: 'Write to Acme.' });
  });
  test('arguments that are no JSON are a string', async () => {
    const { answer } = await validate([{ tools: ['*'], schema }], '{"to": ', '{"to": ');
    expect(answer).toMatchObject({ deny: true, reason: expect.stringContaining('must be object') });
  });
});

describe('patterns', () => {
  const rules = [{ tools: ['notes'], mustNotMatch: ['\\.\\./', 'drop table', '^9007199254740993$'] }];
  test.each<[string, JsonValue, number]>([
    ['a string', { path: ['a', { at: '../etc' }] }, 1],
    ['a name', { 'DROP TABLE users': true }, 2],
  ])('%s is denied with the number of the pattern', async (_, args, number) => {
    const { answer } = await validate(rules, args);
    expect(answer).toMatchObject({
      reason: `The arguments are not accepted: a text is not allowed (pattern ${number}).`,
    });
  });
  test('a number that a double does not hold is read by its digits', async () => {
    const denied = await validate(rules, { id: 9007199254740992 }, '{"id":9007199254740993}');
    expect(denied.answer).toMatchObject({ deny: true });
    expect((await validate(rules, { id: 9007199254740992 })).answer).toBeUndefined();
  });
  test('other texts pass', async () => expect((await validate(rules, { path: 'a/b' })).answer).toBeUndefined());
});

test('rules of other tools do not apply, and all rules of a tool do', async () => {
  const never = { mustNotMatch: ['x'] };
  expect((await validate([{ tools: ['other'], ...never }], 'x')).answer).toBeUndefined();
  const both = [
    { tools: ['*'], mustNotMatch: ['y'] },
    { tools: ['notes'], ...never },
  ];
  expect((await validate(both, 'x')).violations).toMatchObject([{ detail: { rule: 1 } }]);
});

test('arguments above the bound are denied', async () => {
  const { answer } = await validate([{ tools: ['*'], mustNotMatch: ['x'] }], 'a'.repeat(BOUNDS.characters));
  expect(answer).toMatchObject({ deny: true, code: 'too-many-characters' });
});

test.each([{ rules: [] }, { rules: [{ tools: ['notes'] }] }, { rules: [{ tools: ['*'], mustNotMatch: ['(?=x)'] }] }])(
  'the options %j are refused',
  (options) => expect(toolValidation.options.safeParse(options).success).toBe(false),
);

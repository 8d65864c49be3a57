import { SUSPENSION_LIMITS, type JsonValue } from '@millrace/contracts';
import { commonArgs, stopOf, toolCallArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { approvalGate } from './approval-gate.ts';

const gate = (options: object = {}) => approvalGate.create(approvalGate.options.parse(options));
/** A call of the tool `notes`. */
const callOf = (options: object, resumeData?: JsonValue, args: JsonValue = { text: 'x' }) => {
  const given = { ...toolCallArgs(args, commonArgs()), ...(resumeData !== undefined && { resumeData }) };
  return { given, call: () => gate(options).processToolCall?.(given) };
};

describe('a call of one of the tools', () => {
  test.each([[['notes']], [['no*']], [['*']]])('of %j waits, with what it is about', async (tools) => {
    const { call } = callOf({ tools, message: 'Sure?', expiresInSeconds: 60 });
    expect(await stopOf(call)).toEqual({
      kind: 'suspend',
      payload: { message: 'Sure?', toolName: 'notes', args: { text: 'x' } },
      expiresInSeconds: 60,
    });
  });

  test('waits for a week where nothing is said', async () => {
    expect(await stopOf(callOf({}).call)).toMatchObject({ expiresInSeconds: SUSPENSION_LIMITS.defaultSeconds });
  });

  test('is shown in part where its arguments are long', async () => {
    const stop = await stopOf(callOf({}, undefined, 'y'.repeat(100_000)).call);
    expect(JSON.stringify(stop).length).toBeLessThan(SUSPENSION_LIMITS.maxPayloadChars);
  });

  test('that is approved passes as it is', () => {
    expect(callOf({}, { approved: true }).call()).toBeUndefined();
  });

  test.each<[string, JsonValue, string]>([
    ['denied', { approved: false }, 'Not approved.'],
    ['denied with a reason', { approved: false, reason: 'too much' }, 'Not approved: too much'],
    ['answered with a text', 'yes', 'Not approved.'],
    ['answered with nothing', null, 'Not approved.'],
    ['answered with what only looks like an approval', { approved: 'true' }, 'Not approved.'],
  ])('that is %s is denied', (_what, resumeData, reason) => {
    const { given, call } = callOf({}, resumeData);
    expect(call()).toEqual({ deny: true, reason, code: 'not-approved' });
    expect(given.violations).toMatchObject([{ rule: 'not-approved' }]);
  });
});

test('a call of any other tool passes', () => {
  expect(callOf({ tools: ['pay', 'note'] }).call()).toBeUndefined();
});

test.each([{ tools: [] }, { tools: 'notes' }, { message: '' }, { expiresInSeconds: 31 * 24 * 3_600 }])(
  'options %j are refused',
  (options) => expect(approvalGate.options.safeParse(options).success).toBe(false),
);

import { SUSPENSION_LIMITS, type JsonValue } from '@millrace/contracts';
import { commonArgs, catchStop, toolCallArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { approvalGate } from './approval-gate.ts';

const gate = (options: object = {}) => approvalGate.create(approvalGate.options.parse(options));
/** A call of the tool `notes`. */
const createCall = (options: object, resumeData?: JsonValue, args: JsonValue = { text: 'x' }) => {
  const given = { ...toolCallArgs(args, commonArgs()), ...(resumeData !== undefined && { resumeData }) };
  return { given, call: () => gate(options).processToolCall?.(given) };
};

describe('gated tool calls', () => {
  test.each([[['notes']], [['no*']], [['*']]])(
    'the gate suspends a call of %j with the call in the payload',
    async (tools) => {
      const { call } = createCall({ tools, message: 'Sure?', expiresInSeconds: 60 });
      expect(await catchStop(call)).toEqual({
        type: 'suspend',
        payload: { message: 'Sure?', toolName: 'notes', args: { text: 'x' } },
        expiresInSeconds: 60,
      });
    },
  );

  test('the suspension expires after a week by default', async () => {
    expect(await catchStop(createCall({}).call)).toMatchObject({ expiresInSeconds: SUSPENSION_LIMITS.defaultSeconds });
  });

  test('the payload truncates long arguments', async () => {
    const stop = await catchStop(createCall({}, undefined, 'y'.repeat(100_000)).call);
    expect(JSON.stringify(stop).length).toBeLessThan(SUSPENSION_LIMITS.maxPayloadChars);
  });

  test('the gate passes an approved call unchanged', () => {
    expect(createCall({}, { approved: true }).call()).toBeUndefined();
  });

  test.each<[string, JsonValue, string]>([
    ['denied', { approved: false }, 'Not approved.'],
    ['denied with a reason', { approved: false, reason: 'too much' }, 'Not approved: too much'],
    ['answered with a text', 'yes', 'Not approved.'],
    ['answered with nothing', null, 'Not approved.'],
    ['answered with an object that only resembles an approval', { approved: 'true' }, 'Not approved.'],
  ])('the gate denies a call that is %s', (_what, resumeData, reason) => {
    const { given, call } = createCall({}, resumeData);
    expect(call()).toEqual({ deny: true, reason, code: 'not-approved' });
    expect(given.violations).toMatchObject([{ rule: 'not-approved' }]);
  });
});

test('the gate passes a call of any other tool', () => {
  expect(createCall({ tools: ['pay', 'note'] }).call()).toBeUndefined();
});

test.each([{ tools: [] }, { tools: 'notes' }, { message: '' }, { expiresInSeconds: 31 * 24 * 3_600 }])(
  'the gate rejects the options %j',
  (options) => expect(approvalGate.options.safeParse(options).success).toBe(false),
);

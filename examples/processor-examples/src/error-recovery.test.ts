import { buildConversation } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { errorRecovery } from './error-recovery.ts';
import { callExample } from './testing/example-calls.ts';

const error = {
  name: 'AI_APICallError',
  message: 'context length exceeded by 12',
  statusCode: 400,
  isRetryable: false,
};
const conversation = buildConversation({ remembered: ['1', '2', '3', '4', '5'], input: ['6'] });
const callRecovery = (more: object, retryCount = 0) =>
  callExample(errorRecovery, 'processAPIError', { input: { conversation, error, ...more }, retryCount });

test('error-recovery asks again without the oldest messages, once', async () => {
  expect(await callRecovery({})).toEqual({
    type: 'retry',
    changes: { ops: [{ op: 'remove', ids: ['remembered-0', 'remembered-1'] }] },
  });
  expect(await callRecovery({}, 1)).toEqual({ type: 'continue' });
});

test('error-recovery leaves other errors, and conversations that are short already, alone', async () => {
  expect(await callRecovery({ error: { ...error, message: 'no such model' } })).toEqual({ type: 'continue' });
  expect(await callRecovery({ conversation: buildConversation({ input: ['1'] }) })).toEqual({ type: 'continue' });
});

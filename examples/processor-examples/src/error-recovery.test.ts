import { conversationOf } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { errorRecovery } from './error-recovery.ts';
import { callExample } from './testing/example-calls.ts';

const error = {
  name: 'AI_APICallError',
  message: 'context length exceeded by 12',
  statusCode: 400,
  isRetryable: false,
};
const conversation = conversationOf({ remembered: ['1', '2', '3', '4', '5'], input: ['6'] });
const called = (more: object, retryCount = 0) =>
  callExample(errorRecovery, 'processAPIError', { input: { conversation, error, ...more }, retryCount });

test('error-recovery asks again without the oldest messages, once', async () => {
  expect(await called({})).toEqual({
    type: 'retry',
    changes: { ops: [{ op: 'remove', ids: ['remembered-0', 'remembered-1'] }] },
  });
  expect(await called({}, 1)).toEqual({ type: 'continue' });
});

test('error-recovery leaves other errors, and conversations that are short already, alone', async () => {
  expect(await called({ error: { ...error, message: 'no such model' } })).toEqual({ type: 'continue' });
  expect(await called({ conversation: conversationOf({ input: ['1'] }) })).toEqual({ type: 'continue' });
});

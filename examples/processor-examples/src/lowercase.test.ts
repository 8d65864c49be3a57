import { conversationOf } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { lowercase } from './lowercase.ts';
import { callExample } from './testing/example-calls.ts';

test('lowercase replaces what the caller said, and nothing that is in small letters already', async () => {
  const called = (text: string) =>
    callExample(lowercase, 'processInput', { input: { conversation: conversationOf({ input: [text] }) } });
  expect(await called('HELLO Ada')).toMatchObject({
    type: 'continue',
    changes: {
      ops: [{ op: 'replace', message: { id: 'input-0', content: { parts: [{ type: 'text', text: 'hello ada' }] } } }],
    },
  });
  expect(await called('hello')).toEqual({ type: 'continue' });
});

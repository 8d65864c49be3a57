import { buildConversation } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { lowercase } from './lowercase.ts';
import { callExample } from './testing/example-calls.ts';

test("lowercase replaces the caller's messages, and no message that is in lower case already", async () => {
  const callLowercase = (text: string) =>
    callExample(lowercase, 'processInput', { input: { conversation: buildConversation({ input: [text] }) } });
  expect(await callLowercase('HELLO Ada')).toMatchObject({
    type: 'continue',
    changes: {
      ops: [{ op: 'replace', message: { id: 'input-0', content: { parts: [{ type: 'text', text: 'hello ada' }] } } }],
    },
  });
  expect(await callLowercase('hello')).toEqual({ type: 'continue' });
});

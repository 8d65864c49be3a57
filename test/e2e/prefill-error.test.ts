// prefill-error-handler in a complete run: the provider refuses a conversation that ends with a message of the assistant.
import { buildTextMessage } from '@millrace/contracts';
import { useNats, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { useModelProxy } from './model-proxy.ts';
import { script } from './script.ts';

const nats = useNats();
const stack = useStack(nats, ['guardrails']);
const { bodies } = useModelProxy(stack);
const agent = applying(stack);
const error = {
  status: 400,
  message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
};

async function ask(name: string, lists: object) {
  bodies.length = 0;
  const messages = [buildTextMessage('u', 'user', script({ error })), buildTextMessage('a', 'assistant', 'So far:')];
  const run = await stack.client.start(await agent(name, lists), messages);
  return run.result();
}

test('the call is repeated once, with a message of the user at the end', async () => {
  // The development model reads its script in the last message of the user.
  const message = script({}, { text: 'One, two.' });
  const handler = { use: 'PrefillErrorHandler', options: { message } };
  expect(await ask('prefilled', { error: [handler] })).toMatchObject({ status: 'finished', text: 'One, two.' });
  const roles = bodies.map((body) =>
    [...JSON.stringify(body).matchAll(/"role":"(user|assistant)"/g)].map(([, role]) => role),
  );
  expect(roles).toEqual([
    ['user', 'assistant'],
    ['user', 'assistant', 'user'],
  ]);
});

test('the run fails without the handler, and if the error occurs again', async () => {
  expect(await ask('unhandled-prefill', {})).toMatchObject({ status: 'failed', error: { code: 'model-call-failed' } });
  const message = script({}, { error });
  const handler = { use: 'prefill-error-handler', options: { message } };
  expect(await ask('refused-twice', { error: [handler] })).toMatchObject({ status: 'failed' });
  expect(bodies).toHaveLength(2);
});

// The errors of both protocols with the unchanged openai client.
import OpenAI, { AuthenticationError, NotFoundError, RateLimitError } from 'openai';
import { beforeAll, describe, expect, test } from 'vitest';
import { applyClientAgents, clientAgents } from '../../testing/client-agents.ts';
import { useGateway } from '../../testing/gateway-under-test.ts';
import { script } from '../../testing/scripted.ts';

const gateway = useGateway();
beforeAll(() => applyClientAgents(gateway.stack.client.agents));

type Ask = (client: OpenAI, model: string, text?: string, options?: OpenAI.RequestOptions) => Promise<unknown>;
const content = script({ text: 'Hi.' });
const PROTOCOLS: [string, Ask][] = [
  [
    'chat completions',
    ({ chat }, model, text = content, options = {}) =>
      chat.completions.create({ model, messages: [{ role: 'user', content: text }] }, options),
  ],
  [
    'responses',
    ({ responses }, model, text = content, options = {}) => responses.create({ model, input: text }, options),
  ],
];

describe.each(PROTOCOLS)('openai with %s', (_name, ask) => {
  const connect = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });

  test.each([
    [401, 'key-none', clientAgents.open, AuthenticationError],
    [404, 'key-ada', 'no-such-agent', NotFoundError],
  ])('throws the error of the status %d', async (_status, key, model, kind) => {
    await expect(ask(connect(key), model)).rejects.toBeInstanceOf(kind);
  });

  test('names the member of the request that has an unknown model', async () => {
    const failure = ask(connect('key-ada'), 'no-such-agent');
    await expect(failure).rejects.toMatchObject({ code: 'model_not_found', param: 'model' });
  });

  test('names the header of an Idempotency-Key that was sent with another body, and no id of a run', async () => {
    const options = { headers: { 'idempotency-key': crypto.randomUUID() } };
    await ask(connect('key-ada'), clientAgents.open, content, options);
    const failure = ask(connect('key-ada'), clientAgents.open, 'Another text.', options);
    await expect(failure).rejects.toMatchObject({
      status: 409,
      param: 'Idempotency-Key',
      message: expect.stringMatching(/^409 The Idempotency-Key .* Send another Idempotency-Key/),
    });
    await expect(failure).rejects.not.toMatchObject({ message: expect.stringMatching(/idem-|run id/) });
  });

  test('throws the error of the status 429 with the time to wait', async () => {
    const limited = connect('key-busy');
    await ask(limited, clientAgents.open).catch(() => undefined);
    const failure = await ask(limited, clientAgents.open).catch((error: unknown) => error);
    if (!(failure instanceof RateLimitError)) throw failure;
    expect(failure.code).toBe('rate_limit_exceeded');
    expect(Number(failure.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

test('An openai client shows the reason of a route that the gateway does not have', async () => {
  const client = new OpenAI({ apiKey: 'key-ada', baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const failure = client.embeddings.create({ model: clientAgents.open, input: 'Hello.' });
  await expect(failure).rejects.toMatchObject({
    status: 404,
    code: 'route-unknown',
    type: 'invalid_request_error',
    message: expect.stringMatching(/^404 There is no route POST \/v1\/embeddings\./),
  });
});

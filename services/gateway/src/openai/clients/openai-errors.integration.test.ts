// The errors of both protocols with the unchanged openai client.
import OpenAI, { AuthenticationError, NotFoundError, RateLimitError } from 'openai';
import { beforeAll, describe, expect, test } from 'vitest';
import { applyClientAgents, clientAgents } from '../../testing/client-agents.ts';
import { useGateway } from '../../testing/gateway-under-test.ts';
import { script } from '../../testing/scripted.ts';

const gateway = useGateway();
beforeAll(() => applyClientAgents(gateway.stack.client.agents));

type Ask = (client: OpenAI, model: string) => Promise<unknown>;
const content = script({ text: 'Hi.' });
const PROTOCOLS: [string, Ask][] = [
  ['chat completions', ({ chat }, model) => chat.completions.create({ model, messages: [{ role: 'user', content }] })],
  ['responses', ({ responses }, model) => responses.create({ model, input: content })],
];

describe.each(PROTOCOLS)('openai with %s', (_name, ask) => {
  const connect = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });

  test.each([
    [401, 'key-none', clientAgents.open, AuthenticationError],
    [404, 'key-ada', 'no-such-agent', NotFoundError],
  ])('throws the error of the status %d', async (_status, key, model, kind) => {
    await expect(ask(connect(key), model)).rejects.toBeInstanceOf(kind);
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

// Keys with a budget of money, at every door: a key with a spent budget is refused with its reset, also by the first call of a run.
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { postJson, useGateway } from '../testing/gateway-under-test.ts';
import { script } from '../testing/scripted.ts';

const gateway = useGateway();
const base = { model: 'openai-chat/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
/** A call without maxOutputTokens reserves 4,096 tokens. */
const AGENTS = { cheap: 1, dear: 100 };
const key = 'key-thrifty';

beforeAll(async () => {
  for (const [name, price] of Object.entries(AGENTS)) {
    const prices = { [base.model]: { input: price, output: price } };
    await gateway.stack.client.agents.apply({ ...base, name: `thrifty-${name}`, prices });
  }
  await gateway.stack.client.agents.apply({ ...base, name: 'thrifty-unpriced' });
});

const failureSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const text = 'What is 17 * 23?';
const chat = (name: string, stream = false) =>
  ['/v1/chat/completions', { model: `thrifty-${name}`, messages: [{ role: 'user', content: text }], stream }] as const;
const respond = (name: string, stream = false) =>
  ['/v1/responses', { model: `thrifty-${name}`, input: text, stream }] as const;
const own = (name: string) => [`/v1/agents/thrifty-${name}/runs?wait=20`, { input: text }] as const;
const ask = ([path, body]: readonly [string, object]) => gateway.fetch(path, key, postJson(body));

/** Seconds until the end of the day, UTC: no more than these are in retry-after. */
const DAY_S = 86_400;
const expectReset = (headers: Headers) => {
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(DAY_S);
};

describe('A call that may cost more than the key has', () => {
  test.each([
    ['chat completions', chat('dear')],
    ['a stream of chat completions', chat('dear', true)],
    ['responses', respond('dear')],
  ])('is refused at %s with the code and the reset', async (_, request) => {
    const response = await ask(request);
    expect(response.status).toBe(402);
    expectReset(response.headers);
    const { error } = failureSchema.parse(await response.json());
    expect(error).toMatchObject({ code: 'insufficient_quota', message: expect.stringContaining('budget of the key') });
  });

  test('is refused at the own API: the run has the error with the time until the reset', async () => {
    const body = await (await ask(own('dear'))).json();
    expect(body).toMatchObject({
      status: 'failed',
      error: { code: 'budget-exceeded', retryAfterMs: expect.any(Number) },
    });
  });

  test('is not made by a check, which has no call of a model', async () => {
    const response = await ask(['/v1/agents/thrifty-dear/check', { direction: 'output', texts: [text] }]);
    expect(await response.json()).toMatchObject({ action: 'pass' });
  });

  test('is not made without a price', async () => {
    const response = await ask(chat('unpriced'));
    expect(await response.text()).toContain('model-unpriced');
  });
});

describe('A key with a spent budget', () => {
  beforeAll(async () => {
    const spending = script({ text: 'word '.repeat(12_000) });
    const response = await gateway.fetch('/v1/agents/thrifty-cheap/runs?wait=20', key, postJson({ input: spending }));
    await response.text();
  });

  test.each([
    ['chat completions', chat('cheap')],
    ['a stream of chat completions', chat('cheap', true)],
    ['responses', respond('cheap')],
    ['a stream of responses', respond('cheap', true)],
    ['the own API', own('cheap')],
    ['the checks', ['/v1/agents/thrifty-cheap/check', { direction: 'input', texts: [text] }] as const],
  ])('is refused at %s with 402 and retry-after', async (_, request) => {
    const response = await ask(request);
    expect(response.status).toBe(402);
    expectReset(response.headers);
  });

  test('leaves other keys of the subject alone', async () => {
    const response = await gateway.fetch(own('cheap')[0], 'key-ada', postJson(own('cheap')[1]));
    expect(await response.json()).toMatchObject({ status: 'finished' });
  });
});

// The gateway and auth as processes of their own, each with the permissions of its role: API keys over HTTP, and a
// reader that continues at another gateway.
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { script } from './script.ts';

const nats = useNats();
const redis = useRedis();
const stack = useStack(nats, ['orchestrator', 'tools', 'auth', 'gateway'], () => ({
  GATEWAY_PORT: '0',
  REDIS_URL: redis.urlAs('gateway'),
}));
const agent = 'over-http';

beforeAll(() =>
  stack.client.agents.apply({ name: agent, model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 }),
);

const listUrls = async (): Promise<string[]> =>
  [...(await stack.log('gateway')).matchAll(/"url":"(http[^"]+)"/g)].flatMap(([, url]) => url ?? []);
const createKey = async (subject: string) => stack.client.keys.create({ subject, scopes: ['run', 'read', 'answer'] });

async function ask(url: string, path: string, key: string, body?: object, headers: object = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

describe('API keys over HTTP', () => {
  test('A created key runs an agent, reads its own runs only, and ends at once with its revocation', async () => {
    const [url = ''] = await listUrls();
    const [ada, bob] = await Promise.all([createKey('ada'), createKey('bob')]);
    const body = { model: agent, messages: [{ role: 'user', content: script({ text: 'Hello, Ada.' }) }] };
    const answer = await ask(url, '/v1/chat/completions', ada.key, body);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello, Ada.' } }] });
    const run = `/v1/runs/${answer.headers.get('x-millrace-run-id')}`;
    expect((await ask(url, run, ada.key)).status).toBe(200);
    expect((await ask(url, run, bob.key)).status).toBe(404);
    await stack.client.keys.revoke(ada.id);
    await expect.poll(async () => (await ask(url, run, ada.key)).status, { timeout: 5_000 }).toBe(401);
  });

  test('Neither the gateway nor auth is refused a permission', async () => {
    expect(await stack.log('gateway')).not.toContain('permission');
    expect(await stack.log('auth')).not.toContain('permission');
  });
});

describe('two gateways with one Redis', () => {
  test('Two gateways share the requests a minute of a key', async () => {
    await stack.start('gateway');
    const [first = '', second = ''] = await listUrls();
    const { key } = await stack.client.keys.create({
      subject: 'dan',
      scopes: ['read'],
      limits: { requestsPerMinute: 3 },
    });
    const statuses: number[] = [];
    for (const url of [first, second, first, second]) statuses.push((await ask(url, '/v1/agents', key)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test('A request that an openai client repeats at another gateway joins the run of the first one', async () => {
    const [first = '', second = ''] = await listUrls();
    const { key } = await createKey('eve');
    const content = script({ text: 'Once.', chunkSize: 1, delayMs: 50 });
    const body = { model: agent, messages: [{ role: 'user', content }] };
    const sent = ask(first, '/v1/chat/completions', key, body);
    await setTimeout(100);
    const repeated = await ask(second, '/v1/chat/completions', key, body, { 'x-stainless-retry-count': '1' });
    expect(repeated.headers.get('x-millrace-run-id')).toBe((await sent).headers.get('x-millrace-run-id'));
  });
});

test('A gateway without Redis refuses to start if another one runs', async () => {
  const { NATS_NKEY_FILE: _, ...env } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../services/gateway/src/main.ts')], {
    env: { ...env, NATS_URL: nats.url, NATS_NKEY_FILE: join(nats.keys ?? '', 'gateway/user.nk'), GATEWAY_PORT: '0' },
  });
  const output = text(child.stderr);
  const [code] = await once(child, 'exit');
  expect([code, await output]).toEqual([1, expect.stringContaining('REDIS_URL is not set')]);
});

test('A reader whose gateway is killed continues at another gateway with Last-Event-ID', async () => {
  const [first = '', second = ''] = await listUrls();
  const { key } = await createKey('cleo');
  const words = 'One two three four five six seven eight nine ten eleven twelve.';
  const body = { input: script({ text: words, chunkSize: 1, delayMs: 50 }) };
  const accept = { accept: 'text/event-stream' };
  const reading = await ask(first, `/v1/agents/${agent}/runs`, key, body, accept);
  const runId = reading.headers.get('x-millrace-run-id');
  const seen: Event[] = [];
  const broken = collectEvents(reading, seen);
  await expect.poll(() => seen.length, { timeout: 10_000 }).toBeGreaterThan(5);
  await killFirst();
  await expect(broken).rejects.toThrow('terminated');
  const last = seen.findLast(({ id }) => id !== undefined)?.id ?? '';
  const rest: Event[] = [];
  await collectEvents(await ask(second, `/v1/runs/${runId}/chunks`, key, undefined, { 'last-event-id': last }), rest);
  expect(joinText(seen) + joinText(rest)).toBe(words);
  expect(rest.at(-1)?.data).toContain('"status":"finished"');
});

type Event = { id: string | undefined; data: string };

async function killFirst(): Promise<void> {
  const gateway = stack.pids().find(({ service }) => service === 'gateway');
  if (!gateway) throw new Error('no gateway runs');
  process.kill(gateway.pid, 'SIGKILL');
}

/** Appends to `events` as they arrive, so that those before a break are known. */
async function collectEvents(response: Response, events: Event[]): Promise<void> {
  let rest = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const texts = (rest + part).split('\n\n');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const data = /^data: (.*)$/m.exec(text)?.[1];
      if (data !== undefined) events.push({ id: /^id: (.*)$/m.exec(text)?.[1], data });
    }
  }
}

const deltaSchema = z.object({ type: z.literal('text-delta'), payload: z.object({ text: z.string() }) });
const joinText = (events: readonly Event[]): string =>
  events.map(({ data }) => deltaSchema.safeParse(JSON.parse(data)).data?.payload.text ?? '').join('');

// A page's way to NATS: the gateway exchanges an API key for a token, and `wsconnect` follows the caller's runs with it.
import { useNats, useStack } from '@millrace/testkit';
import { wsconnect } from '@nats-io/nats-core';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

const nats = useNats({ webSocketPort: 0 });
const stack = useStack(nats, ['orchestrator', 'guardrails'], () => ({ GATEWAY_PORT: '0' }));
let url = '';
beforeAll(async () => {
  const folder = join(nats.keys ?? '', 'auth');
  await stack.start('auth', {
    AUTH_ISSUER_FILE: join(folder, 'issuer.nk'),
    AUTH_ENCRYPTION_FILE: join(folder, 'encryption.nk'),
    AUTH_SYSTEM_FILE: join(folder, 'system.nk'),
  });
  await stack.start('gateway');
  url = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
  await stack.client.agents.apply({ name: 'followed', model: 'openai/gpt-5-mini', flushMs: 0, output: ['pii'] });
}, 120_000);

const issuedSchema = z.object({ token: z.string(), caller: z.string(), inboxPrefix: z.string(), chunks: z.string() });
const post = (path: string, key: string, body: object, headers = {}) =>
  fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
async function follow(token: z.output<typeof issuedSchema>) {
  const { inboxPrefix, chunks } = token;
  const nc = await wsconnect({ servers: nats.webSocketUrl, token: token.token, inboxPrefix });
  onTestFinished(() => nc.close());
  const heard: string[] = [];
  nc.subscribe(chunks, { callback: (error, message) => void (error ?? heard.push(message.string())) });
  await nc.flush();
  return { nc, heard };
}

test('A connection over WebSocket with an exchanged token hears the runs of its own caller, and no others', async () => {
  const { key } = await stack.client.keys.create({ scopes: ['run', 'read'], subject: 'ada' });
  const other = await stack.client.keys.create({ scopes: ['run', 'read'], subject: 'bob' });
  const answer = await post('/v1/bus-tokens', key, {});
  expect(answer.status).toBe(201);
  const issued = issuedSchema.parse(await answer.json());
  expect(issued).toMatchObject({
    chunks: `mr.v1.chunks.default.${issued.caller}.*`,
    inboxPrefix: `_INBOX.${issued.caller}`,
    token: expect.not.stringContaining(key),
  });
  const { heard } = await follow(issued);
  const run = (by: string, text: string) => post('/v1/agents/followed/runs?wait=20', by, { input: text });
  expect((await run(other.key, 'For Bob: what is 6 * 7?')).status).toBe(200);
  expect((await run(key, 'What is 17 * 23?')).status).toBe(200);
  const runs = new Set(heard.map((text) => /"runId":"([^"]+)"/.exec(text)?.[1]));
  expect(heard.at(-1)).toContain('"type":"finish"');
  expect(runs.size).toBe(1);
});

test('A key with act-as exchanges itself for the token of the subject that it names; others name none', async () => {
  const site = await stack.client.keys.create({ scopes: ['read', 'act-as'], subject: 'site' });
  const ada = await stack.client.keys.create({ scopes: ['read'], subject: 'ada' });
  const named = { 'x-millrace-subject': 'carol' };
  expect(await (await post('/v1/bus-tokens', site.key, {}, named)).json()).toMatchObject({ subject: 'carol' });
  expect(await (await post('/v1/bus-tokens', ada.key, {}, named)).json()).toMatchObject({ subject: 'ada' });
});

test('A key without the requested scope, and a time out of bounds, are refused', async () => {
  const { key } = await stack.client.keys.create({ scopes: ['read'], subject: 'ada' });
  const missing = await post('/v1/bus-tokens', key, { scopes: ['run'] });
  expect([missing.status, await missing.json()]).toMatchObject([403, { code: 'scope-missing' }]);
  expect((await post('/v1/bus-tokens', key, { expiresInSeconds: 86_400 })).status).toBe(400);
});

test('The connection of a token ends when its key is revoked', async () => {
  const { key, id } = await stack.client.keys.create({ scopes: ['read'], subject: 'ada' });
  const { nc } = await follow(issuedSchema.parse(await (await post('/v1/bus-tokens', key, {})).json()));
  const ended = Promise.withResolvers<string>();
  void (async () => {
    for await (const { type } of nc.status()) if (type === 'disconnect') ended.resolve(type);
  })();
  await stack.client.keys.revoke(id);
  expect(await ended.promise).toBe('disconnect');
});

// Kills and restarts the NATS server during a run: readers resume at their positions.
import { eventually, useBus, useNats, serveScriptedApi, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from './client.ts';
import type { Client } from './client-api.ts';

const nats = useNats();
const service = useBus(nats, 'orchestrator');
let api: ScriptedApi;
let client: Client;

beforeAll(async () => {
  api = serveScriptedApi(service.bus, { agents: { manual: (run) => run.say(run.text('a')) } });
  client = await connect({ url: nats.url });
});
afterAll(async () => {
  await client.close();
  await api.stop();
});

test('A reader receives every chunk once, although some were published during the outage', async () => {
  const run = await client.start('manual', 'hi');
  const read: string[] = [];
  const reading = (async () => {
    for await (const text of run.textStream) read.push(text);
  })();
  await eventually(() => read.length === 1);
  const started = performance.now();
  const owner = await eventually(() => api.runs.get(run.runId));
  await nats.kill();
  owner.lose(owner.text('b'), owner.text('c'));
  await nats.start();
  // Both ends have reconnected when the server has their subscriptions.
  await eventually(async () => {
    const connections = await (await fetch(`${nats.monitorUrl}/connz?subs=true`)).text();
    return [`chunks.default.*.${run.runId}`, 'api.replay.*.*.*'].every((subject) => connections.includes(subject));
  });
  owner.say(owner.text('d'));
  owner.finish('abcd');
  await reading;
  expect(read).toEqual(['a', 'b', 'c', 'd']);
  // Shorter than the silence of 10 s that triggers a request.
  expect(performance.now() - started).toBeLessThan(9_000);
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'abcd' });
});

test('A connection that is lost during a subscription is awaited', async () => {
  const run = await client.start('manual', 'hi');
  const owner = await eventually(() => api.runs.get(run.runId));
  const following = client.follow(run.runId);
  await nats.kill();
  await nats.start();
  const { textStream } = await following;
  owner.say(owner.text('b'));
  owner.finish('ab');
  expect(await Array.fromAsync(textStream)).toEqual(['a', 'b']);
});

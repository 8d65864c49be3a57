// The NATS server dies in the middle of a run and comes back: readers go on where they were.
import { eventually, useBus, useNats, serveScriptedApi, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Client } from './client.ts';

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

test('has every chunk once, though some were published while nobody was connected', async () => {
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
  // Both ends are back when the server knows their subscriptions.
  await eventually(async () => {
    const connections = await (await fetch(`${nats.monitorUrl}/connz?subs=true`)).text();
    return [`chunks.default.${run.runId}`, 'api.replay.*.*'].every((subject) => connections.includes(subject));
  });
  owner.say(owner.text('d'));
  owner.finish('abcd');
  await reading;
  expect(read).toEqual(['a', 'b', 'c', 'd']);
  // Sooner than a silence of 10 s would have made it ask.
  expect(performance.now() - started).toBeLessThan(9_000);
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'abcd' });
});

test('that breaks while a reader subscribes is waited for', async () => {
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

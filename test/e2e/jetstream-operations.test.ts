// Counts the store operations of a run: each is a write to disk, or a request that waits for one.
import { eventually, passingProcessor, useBus, useNats, useProcessors, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { collect } from './collect.ts';
import { script } from './script.ts';

const nats = useNats();
const stages = ['processInput', 'processOutputStream'] as const;
const spying = useBus(nats, 'spy');
useProcessors(nats, [passingProcessor('first', stages), passingProcessor('second', stages)]);
const stack = useStack(nats, ['orchestrator', 'message-history']);

/**
 * A submission, a taken command, checkpoints, an ending: 17. Batches by time (the log for 250 ms, events) add a
 * message, sometimes two, if a busy machine delays the run.
 */
const MAX_OPERATIONS = 19;

test('a run of one step with processors and memory needs few operations of the store', async () => {
  const agent = {
    name: 'counted',
    model: 'openai/gpt-5-mini',
    input: ['first', 'second'],
    output: ['first', 'second'],
    memory: { lastMessages: 10 },
  };
  await stack.client.agents.apply(agent);
  const run = async (threadId: string) =>
    collect(await stack.client.start('counted', script({ text: 'word '.repeat(200), chunkSize: 5 }), { threadId }));
  await run('before');

  const spy = spying.bus;
  const operations: string[] = [];
  const watched = ['$JS.API.>', '$JS.ACK.>', '$KV.>', spy.subjects.logs, spy.subjects.allEvents];
  for (const subject of watched)
    spy.nc.subscribe(subject, { callback: (_error, message) => void operations.push(message.subject) });
  // As the client stores it: the server delivers the same message to the orchestrator that takes the command.
  spy.nc.subscribe(`${spy.subjects.prefix}.api.submit.>`, { callback: () => void operations.push('a command') });
  await spy.nc.flush();
  expect((await run('counted')).at(-1)).toMatchObject({ type: 'finish' });
  await eventually(() => operations.some((subject) => subject.startsWith('$JS.ACK.')));
  await spy.nc.flush();
  // In addition each orchestrator pulls every shard of the queue, counts it, and checks its streams every few seconds.
  const idle =
    /\.(LIST|NAMES|INFO|MSG\.NEXT|PURGE)\b.*_RUNS|\.(NAMES|LIST|INFO\..*)$|\.STREAM\.PURGE\.mr_v1_(TIMERS|CHUNKS|EVENTS)$|probe$/;
  const own = operations.filter((subject) => !idle.test(subject));
  expect(own.slice(MAX_OPERATIONS)).toEqual([]);
});

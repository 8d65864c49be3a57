import { STORED_VERSION, buildTextMessage, type Command, type MillraceError } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openJetStream, type JetStreamAccess } from '../streams/jetstream-access.ts';
import { ensureTopology } from './topology.ts';
import { listCommandQueues, consumeCommands, type Delivery } from './work-queue.ts';

const nats = useNats();
const orchestrator = useBus(nats, 'orchestrator');
const ackWaitNs = 600 * 1_000_000;
let access: JetStreamAccess;
let stopping: AbortController;
let consuming: Promise<void>[];

beforeAll(async () => {
  access = await openJetStream(orchestrator.bus);
  await ensureTopology(access);
  const { runs } = orchestrator.bus.names;
  for (const queue of listCommandQueues(orchestrator.bus)) {
    await access.jsm.consumers.update(runs, queue, { ack_wait: ackWaitNs });
  }
});
beforeEach(() => {
  stopping = new AbortController();
  consuming = [];
});
afterEach(async () => {
  stopping.abort();
  await Promise.all(consuming);
  await access.jsm.streams.purge(orchestrator.bus.names.runs);
});

const command = (runId: string): Command => ({
  command: 'start',
  requestHash: 'hash',
  submittedAt: 0,
  request: {
    runId,
    tenant: 'acme',
    agent: 'demo',
    messages: [buildTextMessage('m', 'user', 'hi')],
    requestContext: {},
    deadlineMs: 1_000,
  },
});
const put = (value: unknown) => access.js.publish(orchestrator.bus.subjects.runs(3, 'acme'), JSON.stringify(value));
const consume = (take: (delivery: Delivery) => Promise<void>, refused: MillraceError[] = [], from = access) => {
  consuming.push(consumeCommands(from, { take, refuse: (error) => refused.push(error) }, stopping.signal));
};
const readRunId = (delivery: Delivery) => delivery.command.request.runId;
const countMessages = async () => (await access.jsm.streams.info(orchestrator.bus.names.runs)).state.messages;

test('Commands of a shard are delivered in order; the next one is pulled when the preceding one is taken', async () => {
  for (const run of ['r1', 'r2', 'r3']) await put(command(run));
  const taken: string[] = [];
  const gate = Promise.withResolvers<void>();
  consume(async (delivery) => {
    taken.push(readRunId(delivery));
    await delivery.acknowledge();
    if (taken.length === 1) await gate.promise;
  });
  await eventually(() => taken.length === 1);
  // The other commands remain available for another orchestrator.
  expect(
    (await access.jsm.consumers.info(orchestrator.bus.names.runs, orchestrator.bus.names.worker(3))).num_pending,
  ).toBe(2);
  gate.resolve();
  await eventually(() => taken.length === 3);
  expect(taken).toEqual(['r1', 'r2', 'r3']);
  await eventually(async () => (await countMessages()) === 0);
});

test('Commands of a version without shards are delivered too', async () => {
  await access.js.publish('mr.v1.runs.acme', JSON.stringify(command('old')));
  await put(command('new'));
  const taken: string[] = [];
  consume(async (delivery) => {
    taken.push(readRunId(delivery));
    await delivery.acknowledge();
  });
  await eventually(() => taken.length === 2);
  expect(taken.toSorted()).toEqual(['new', 'old']);
});

test('A shard without capacity at its caller does not delay the commands of another shard', async () => {
  await put(command('behind'));
  await access.js.publish(orchestrator.bus.subjects.runs(4, 'initech'), JSON.stringify(command('other')));
  const taken: string[] = [];
  const noRoom = Promise.withResolvers<number>();
  const room = (queue: string) => (queue === orchestrator.bus.names.worker(3) ? noRoom.promise : Promise.resolve(2));
  const take = async (delivery: Delivery) => {
    taken.push(readRunId(delivery));
    await delivery.acknowledge();
  };
  consuming.push(consumeCommands(access, { awaitRoom: room, take, refuse: () => undefined }, stopping.signal));
  await eventually(() => taken.length === 1);
  expect(taken).toEqual(['other']);
  noRoom.resolve(1);
  await eventually(() => taken.length === 2);
});

test('Two orchestrators share the queue: each command is taken once', async () => {
  const second = await openJetStream(await orchestrator.connect());
  const taken: string[] = [];
  const take = async (delivery: Delivery) => {
    taken.push(readRunId(delivery));
    await delivery.acknowledge();
  };
  consume(take);
  consume(take, [], second);
  const runs = Array.from({ length: 20 }, (_, n) => `run-${n}`);
  await Promise.all(runs.map((run) => put(command(run))));
  await eventually(() => taken.length >= 20);
  expect(taken.toSorted()).toEqual(runs.toSorted());
});

test('A command without an ack is redelivered with the same sequence', async () => {
  await put(command('lost'));
  const seen: number[] = [];
  consume(async (delivery) => {
    seen.push(delivery.sequence);
    if (seen.length === 2) await delivery.acknowledge();
  });
  await eventually(() => seen.length === 2);
  expect(seen[0]).toBe(seen[1]);
});

test('A command with an extended ack is not redelivered', async () => {
  await put(command('long'));
  const seen: Delivery[] = [];
  consume(async (delivery) => void seen.push(delivery));
  const delivery = await eventually(() => seen[0]);
  const extending = setInterval(() => delivery.extend(), 100);
  const others = await eventually(() => seen.length > 1, { timeoutMs: 1_500 }).catch(() => 'none');
  clearInterval(extending);
  expect(others).toBe('none');
  await delivery.acknowledge();
  expect(await countMessages()).toBe(0);
});

test('A command that is handed over is delivered to another orchestrator at once', async () => {
  await put(command('handed'));
  const seen: Delivery[] = [];
  consume(async (delivery) => {
    seen.push(delivery);
    if (seen.length === 1) delivery.handOver();
    else await delivery.acknowledge();
  });
  await eventually(() => seen.length === 2, { timeoutMs: 450 });
  expect(seen[1]?.sequence).toBe(seen[0]?.sequence);
});

test('A malformed command is logged and removed, and the queue continues', async () => {
  await put({ command: 'dance' });
  await access.js.publish(orchestrator.bus.subjects.runs(3, 'acme'), 'not json');
  await put(command('after'));
  const refused: MillraceError[] = [];
  const taken: string[] = [];
  consume(async (delivery) => {
    taken.push(readRunId(delivery));
    await delivery.acknowledge();
  }, refused);
  await eventually(() => taken.length === 1);
  expect(refused.map(({ code }) => code)).toEqual(['message-invalid', 'message-invalid']);
  await eventually(async () => (await countMessages()) === 0);
});

test('A handler that throws does not end the consumer: the command is redelivered', async () => {
  await put(command('thrown'));
  let tries = 0;
  consume(async (delivery) => {
    tries += 1;
    if (tries === 1) throw new Error('a bug');
    await delivery.acknowledge();
  });
  await eventually(() => tries === 2);
  expect(tries).toBe(2);
});

test('Stopping the queue’s consumer ends the wait at once, and later commands remain for others', async () => {
  const taken: string[] = [];
  consume(async (delivery) => void taken.push(readRunId(delivery)));
  await access.bus.nc.flush();
  stopping.abort();
  await Promise.all(consuming);
  await put(command('next'));
  const other = new AbortController();
  const gotten = Promise.withResolvers<string>();
  const rest = consumeCommands(
    await openJetStream(await orchestrator.connect()),
    {
      async take(delivery) {
        await delivery.acknowledge();
        gotten.resolve(readRunId(delivery));
      },
      refuse: () => undefined,
    },
    other.signal,
  );
  expect(await gotten.promise).toBe('next');
  expect(taken).toEqual([]);
  other.abort();
  await rest;
});

test('The command queue is read again after an outage of the server', async () => {
  const taken: string[] = [];
  consume(async (delivery) => {
    taken.push(readRunId(delivery));
    await delivery.acknowledge();
  });
  await nats.kill();
  await eventually(() => !orchestrator.bus.hasConnection());
  await nats.start();
  await eventually(() => orchestrator.bus.hasConnection());
  await put(command('back'));
  await eventually(() => taken.includes('back'), { timeoutMs: 10_000 });
  expect(taken).toEqual(['back']);
});

test.each([
  ['of a kind that this version does not know', { command: 'later' }],
  ['marked as of a newer version', { ...command('newer'), v: STORED_VERSION + 1 }],
])('A command %s remains in the queue for a newer version until its deadline has passed', async (_what, value) => {
  const refused: MillraceError[] = [];
  const request = { tenant: 'acme', runId: 'newer', deadlineMs: 60_000 };
  await put({ ...value, submittedAt: Date.now(), request: { ...command('newer').request, ...request } });
  await put({ ...value, submittedAt: Date.now() - 300_000, request: { ...command('newer').request, ...request } });
  consume(async () => undefined, refused);
  await eventually(() => refused.length === 2);
  await eventually(async () => (await countMessages()) === 1);
  const stored = await access.jsm.streams.getMessage(orchestrator.bus.names.runs, {
    seq: (await readLastSequence()) - 1,
  });
  expect(stored?.json()).toMatchObject({ command: value.command, request: { deadlineMs: 60_000 } });
});
const readLastSequence = async () => (await access.jsm.streams.info(orchestrator.bus.names.runs)).state.last_seq;

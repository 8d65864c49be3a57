import { eventually, useBus, useNats, writableFiles } from '@millrace/testkit';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { guardTopology, type TopologyGuard } from './guard-topology.ts';
import { openJetStream, type JetStreamAccess } from '../streams/jetstream-access.ts';
import { ensureTopology } from './topology.ts';

const nats = useNats();
const owner = useBus(nats, 'owner');
let access: JetStreamAccess;
let guard: TopologyGuard | undefined;

beforeAll(async () => {
  access = await openJetStream(owner.bus);
  await ensureTopology(access);
});
afterEach(() => guard?.stop());

const streamsThere = async () => {
  const names: string[] = [];
  for await (const name of access.jsm.streams.names()) names.push(name);
  return names.length;
};

const consumersThere = async () => {
  const consumers = await Array.fromAsync(access.jsm.consumers.list(owner.bus.names.runs));
  return consumers.length;
};

const readLastSequence = async () => (await access.jsm.streams.info(`KV_${owner.bus.names.state}`)).state.last_seq;

test('A lost stream or bucket is created again, and owners of copies are notified', async () => {
  let restored = 0;
  guard = guardTopology(access, { checkEveryMs: 20, onRestored: () => void (restored += 1) });
  const { runs, state, agents } = owner.bus.names;
  for (const name of [runs, `KV_${state}`, `KV_${agents}`]) await access.jsm.streams.delete(name);
  await eventually(() => {
    if (restored === 0) throw new Error(`nothing is restored; ${guard?.findProblem() ?? 'no problem is known'}`);
    return true;
  });
  expect(await streamsThere()).toBe(11);
  await eventually(() => guard?.findProblem() === undefined);
  expect(await consumersThere()).toBe(17);
});

test('A lost consumer of one shard of the command queue is created again', async () => {
  guard = guardTopology(access, { checkEveryMs: 20 });
  const { runs, worker } = owner.bus.names;
  await access.jsm.consumers.delete(runs, worker(3));
  const consumer = await eventually(() => access.jsm.consumers.info(runs, worker(3)));
  expect(consumer.config.filter_subject).toBe(owner.bus.subjects.runsOfShard(3));
});

test('A stream or bucket that cannot be created again is a health problem', async () => {
  const chunks = owner.bus.names.chunks(0);
  await access.jsm.streams.delete(chunks);
  // Another stream takes its subjects.
  await access.jsm.streams.add({ name: 'OTHER', subjects: [owner.bus.subjects.logs] });
  guard = guardTopology(access, { checkEveryMs: 20 });
  expect(await eventually(() => guard?.findProblem())).toContain(chunks);
  await access.jsm.streams.delete('OTHER');
  await eventually(async () => guard?.findProblem() === undefined && (await streamsThere()) === 11);
});

test('The queue gets the subjects of its shards again after an older version has set its own', async () => {
  const { runs } = owner.bus.names;
  const { config } = await access.jsm.streams.info(runs);
  await access.jsm.streams.update(runs, { ...config, subjects: [owner.bus.subjects.unshardedRuns] });
  guard = guardTopology(access, { checkEveryMs: 20 });
  const stored = await eventually(() => access.js.publish(owner.bus.subjects.runs(3, 'acme'), '{}'));
  expect(stored.stream).toBe(runs);
  await access.jsm.streams.purge(runs);
});

test('A process detects that another one has created a wiped stream again', async () => {
  let restored = 0;
  const other = await openJetStream(await owner.connect());
  const before = await readLastSequence();
  guard = guardTopology(access, { checkEveryMs: 500, onRestored: () => void (restored += 1) });
  // The first check is over, and the next one not yet due.
  await eventually(async () => (await readLastSequence()) > before);
  await other.jsm.streams.delete(`KV_${owner.bus.names.agents}`);
  await ensureTopology(other);
  await eventually(() => restored === 1);
  expect(guard.findProblem()).toBeUndefined();
});

test('A store that rejected a write is a health problem with the remedy until NATS is restarted, also after it has room again', async () => {
  const before = await readLastSequence();
  guard = guardTopology(access, { checkEveryMs: 20 });
  await eventually(async () => (await readLastSequence()) > before);
  writableFiles(nats.pid, false);
  // Another stream is reported first if the disk rejected only its write of the check that was in progress.
  const state = `KV_${owner.bus.names.state}`;
  const problem = await eventually(() => [guard?.findProblem()].find((text) => text?.includes(state)), {
    timeoutMs: 20_000,
  });
  expect(problem).toContain(state);
  expect(problem).toContain('restart NATS');
  writableFiles(nats.pid, true);
  const write = () => access.js.publish(`$KV.${owner.bus.names.state}.x`, '', { timeout: 1_000, retries: 0 });
  await expect(write()).rejects.toThrow(/timeout/i);
  expect(guard.findProblem()).toContain('restart NATS');
  await nats.stop();
  await nats.start();
  await eventually(() => guard?.findProblem() === undefined, { timeoutMs: 20_000 });
  await write();
}, 60_000);

test('A probe leaves nothing in a queue or a log, and one key in a bucket', async () => {
  const { state, events, timers, runs, chunks } = owner.bus.names;
  guard = guardTopology(access, { checkEveryMs: 5 });
  // At least as many checks as there are streams.
  const before = await readLastSequence();
  await eventually(async () => (await readLastSequence()) > before + 10);
  await guard.stop();
  const countMessages = async (name: string) => (await access.jsm.streams.info(name)).state.messages;
  // The last check can still be in progress.
  await eventually(async () => {
    const left = await Promise.all([runs, events, timers, chunks(0)].map(countMessages));
    return left.every((count) => count === 0);
  });
  const subjects = (await access.jsm.streams.info(`KV_${state}`, { subjects_filter: '$KV.*.probe' })).state.subjects;
  expect(subjects).toEqual({ [`$KV.${state}.probe`]: 1 });
});

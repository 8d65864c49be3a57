import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { guardTopology, type TopologyGuard } from './guard-topology.ts';
import { openJetStream, type JetStreamAccess } from './jetstream-access.ts';
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

test('a stream or bucket that was lost is made anew, and who keeps a copy of it is told', async () => {
  let restored = 0;
  guard = guardTopology(access, { checkEveryMs: 20, restored: () => void (restored += 1) });
  const { runs, state, agents } = owner.bus.names;
  for (const name of [runs, `KV_${state}`, `KV_${agents}`]) await access.jsm.streams.delete(name);
  await eventually(() => restored > 0);
  expect(await streamsThere()).toBe(7);
  await eventually(() => guard?.problem() === undefined);
  expect(await consumersThere()).toBe(17);
});

test('the consumer of one shard of the command queue is created again when it alone was lost', async () => {
  guard = guardTopology(access, { checkEveryMs: 20 });
  const { runs, worker } = owner.bus.names;
  await access.jsm.consumers.delete(runs, worker(3));
  const consumer = await eventually(() => access.jsm.consumers.info(runs, worker(3)));
  expect(consumer.config.filter_subject).toBe(owner.bus.subjects.runsOfShard(3));
});

test('a stream or bucket that cannot be made anew is a health problem', async () => {
  const chunks = owner.bus.names.chunks(0);
  await access.jsm.streams.delete(chunks);
  // Somebody else has taken its subjects.
  await access.jsm.streams.add({ name: 'OTHER', subjects: [owner.bus.subjects.logs] });
  guard = guardTopology(access, { checkEveryMs: 20 });
  expect(await eventually(() => guard?.problem())).toContain(chunks);
  await access.jsm.streams.delete('OTHER');
  await eventually(async () => guard?.problem() === undefined && (await streamsThere()) === 7);
});

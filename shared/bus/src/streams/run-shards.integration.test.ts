import { computeHomeShard } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { openJetStream } from './jetstream-access.ts';
import { CONGESTED_AT } from './shard-loads.ts';
import { ensureTopology } from '../queue/topology.ts';
import { watchRunShards } from '../queue/watch-run-shards.ts';

const nats = useNats();
const quiet = { tenant: 'quiet', caller: 'ada' };
const owner = useBus(nats, 'owner');

test('an orchestrator keeps a tenant out of a shard in which another orchestrator has put a backlog', async () => {
  const [access, other] = await Promise.all([openJetStream(owner.bus), openJetStream(await owner.connect())]);
  await ensureTopology(access);
  const home = owner.bus.subjects.runs(computeHomeShard(quiet), 'quiet');
  const backlog = owner.bus.subjects.runs(computeHomeShard(quiet), 'noisy');
  for (let at = 0; at <= 2 * CONGESTED_AT; at += 1) await access.js.publish(backlog, '{}');
  expect(other.runShards.nextSubject(quiet)).toBe(home);
  const watching = watchRunShards(other);
  await eventually(() => other.runShards.nextSubject(quiet) !== home);
  // The other tenant's commands are done: its home shard is chosen again.
  await access.jsm.streams.purge(owner.bus.names.runs);
  await eventually(() => other.runShards.nextSubject(quiet) === home);
  await watching.stop();
});

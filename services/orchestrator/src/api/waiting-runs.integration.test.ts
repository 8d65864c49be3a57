import { CLIENT_TOOL_LIMITS, stateKeys, type RunHead } from '@millrace/contracts';
import { writeEntry } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import type { RunIndex } from './run-index.ts';
import { createRunList } from './run-list.ts';
import { createWaitingLimit } from './waiting-runs.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { maxWaitingRuns } = CLIENT_TOOL_LIMITS;
const refused = expect.objectContaining({ code: 'too-many-runs' });

function createIndex(count: number, caller: string): RunIndex {
  const list = createRunList();
  const head = { status: 'suspended', agent: 'demo', caller, submittedAt: 0, deadlineAt: 0 } as const;
  for (let at = 1; at <= count; at += 1) list.put({ ...head, runId: `r${at}`, revision: at });
  const findRecent = () => list;
  return { find: () => Promise.resolve(list), findRecent, reload: () => undefined, stop: () => undefined };
}

test('A caller with the maximum of suspended runs is refused, and another caller is not', async () => {
  const limit = (count: number) => createWaitingLimit(stream.access, createIndex(count, 'ada'));
  const call = { caller: 'ada', tenant: 'acme' };
  await expect(limit(maxWaitingRuns)(call)).rejects.toEqual(refused);
  await limit(maxWaitingRuns)({ ...call, caller: 'bob' });
  await limit(maxWaitingRuns - 1)(call);
});

test('Without an index the suspended runs in the bucket count, and runs of others and ended ones do not', async () => {
  const { names } = connection.bus;
  const call = { caller: 'ada', tenant: 'counted' };
  const write = async (runId: string, status: RunHead['status'], caller: string) => {
    const { tenant } = call;
    const head = { ...createHead(runId, { tenant, status, caller, subject: caller }) };
    await writeEntry(stream.access, names.state, stateKeys.head(tenant, runId), head, {});
    await writeEntry(stream.access, names.state, stateKeys.suspension(tenant, runId, 1), { runId }, {});
  };
  const writeMany = async (count: number, name: string, status: RunHead['status'], caller: string) => {
    for (let at = 0; at < count; at += 100) {
      const some = Array.from({ length: Math.min(100, count - at) }, (_, place) => `${name}-${at + place}`);
      await Promise.all(some.map((runId) => write(runId, status, caller)));
    }
  };
  const limit = () => createWaitingLimit(stream.access)(call);
  await writeMany(maxWaitingRuns - 1, 'own', 'suspended', 'ada');
  await limit();
  await writeMany(1, 'of-bob', 'suspended', 'bob');
  await writeMany(1, 'ended', 'released', 'ada');
  await limit();
  await writeMany(1, 'last', 'suspended', 'ada');
  await expect(limit()).rejects.toEqual(refused);
  await createWaitingLimit(stream.access)({ ...call, caller: 'bob' });
});

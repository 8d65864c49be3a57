// A request marks the entries that its failure would skip: those with the policy `skip` and without a further attempt.
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { planEntry } from '../testing/plan-entries.ts';
import { failure, scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import { callProcessors } from './call-processors.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stage = 'processInput';
const input = { retryCount: 0, stepNumber: 0, conversation: { entries: [], system: [] } };

test.each([
  ['its only attempt', { onFailure: 'skip', attempts: 1 }, [true]],
  ['the last one of two attempts', { onFailure: 'skip', attempts: 2 }, [undefined, true]],
  ['no attempt of an entry that fails the run', { onFailure: 'fail', attempts: 2 }, [undefined, undefined]],
] as const)('a call marks %s', async (_what, policy, marks) => {
  const bus = await connection.connect({ name: 'guards' });
  const replica = scriptReplica(bus, stage, ['a'], () => [failure()]);
  await bus.nc.flush();
  const discovery = { findMissingReplicas: async () => 'none' as const, findAnsweringReplica: async () => bus.id };
  const made = createTestRun({ bus: connection.bus, discovery });
  const request = { stage, input, receiveData: () => undefined } as const;
  await Array.fromAsync(callProcessors(made.run, [planEntry('a', policy)], request));
  expect(replica.received.map(({ entries: [entry] }) => entry?.skippable)).toEqual(marks);
});

// The command that announces an answer: the time for which an orchestrator may hold it.
import { consumeCommands } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import type { Delivery } from '@millrace/bus';
import { expect, test } from 'vitest';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import { wakeRun } from './after-suspension.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

test('an answer to an active run has as long as the run, because the run may be suspended before the command arrives', async () => {
  await wakeRun(stream.access, createHead('r1', { deadlineAt: Date.now() + 3_600_000 }), { reason: 'p1', revision: 1 });
  const stopping = new AbortController();
  const { promise, resolve } = Promise.withResolvers<Delivery>();
  const take = async (delivery: Delivery) => {
    await delivery.acknowledge();
    resolve(delivery);
  };
  const consuming = consumeCommands(stream.access, { take, refuse: () => undefined }, stopping.signal);
  const { command } = await promise;
  stopping.abort();
  await consuming;
  expect(command.request.deadlineMs).toBeGreaterThan(3_500_000);
});

// The command that tells of an answer: how long whoever takes it may hold it.
import { consumeCommands } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import type { Delivery } from '@millrace/bus';
import { expect, test } from 'vitest';
import { useJetStream } from '../testing/jetstream.ts';
import { headOf } from '../testing/run-heads.ts';
import { wakeRun } from './wake-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

test('an answer to a run that is under way has as long as the run: it may be put away before the command comes', async () => {
  await wakeRun(stream.access, headOf('r1', { deadlineAt: Date.now() + 3_600_000 }), 'p1');
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

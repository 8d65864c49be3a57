// Consumers of runs over real streams, without the queue: call it after useJetStream.
import type { TestBus } from '@millrace/testkit';
import { onTestFinished } from 'vitest';
import { createRunConsumer, type RunConsumer } from '../takeover/run-consumer.ts';
import { createDriver } from './driven-runs.ts';
import type { TestJetStream } from './jetstream.ts';

export function useRunConsumers(connection: TestBus, stream: TestJetStream) {
  /** A consumer of runs with a model that waits for the gate. */
  async function consumer(maxRuns: number, maxRunsPerTenant = maxRuns) {
    const gate = Promise.withResolvers<void>();
    const driver = createDriver(stream, { text: 'Hello.', until: gate.promise });
    const draining = new AbortController();
    const runs: RunConsumer = createRunConsumer(driver.deps, { maxRuns, maxRunsPerTenant }, draining.signal);
    const agent = await driver.apply();
    onTestFinished(async () => {
      gate.resolve();
      await runs.drain(2_000);
    });
    await connection.bus.nc.flush();
    return {
      ...driver,
      runs,
      draining,
      open: gate.resolve,
      begin: ({ sequence = 7 } = {}) => driver.begin({ agent, sequence }),
    };
  }
  return { consumer };
}

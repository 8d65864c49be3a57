// Steps with replicas that a test kills and starts, with real services: their output, and the retracted chunks.
import type { Chunk, PlanEntry } from '@millrace/contracts';
import { eventually, useProcessors, type ProcessorDefinition, type TestBus } from '@millrace/testkit';
import { beforeEach, onTestFinished } from 'vitest';
import { createDiscovery } from '../peers/discovery.ts';
import { openOutputChain } from '../sessions/output-chain.ts';
import { makeText } from './chunks.ts';
import { fragile, passing, releaseFragile } from './fragile-processors.ts';
import { planEntry } from './plan-entries.ts';
import { createTestRun } from './test-run.ts';

type Nats = Parameters<typeof useProcessors>[0];
export type FragileStep = Awaited<ReturnType<ReturnType<typeof useFragileSteps>['step']>>;

const input = { retryCount: 0, stepNumber: 0 };

/** Call it after useBus. */
export function useFragileSteps(nats: Nats, connection: TestBus) {
  const guards = useReplica(nats, fragile, 'guards');
  const others = useReplica(nats, [passing], 'others');
  beforeEach(async () => {
    for (const one of [guards, others]) if (one.live().bus.nc.isClosed()) await one.start();
  });

  const entry = (name: string, more: Partial<PlanEntry> = {}) =>
    planEntry(name, {
      service: name === 'other' ? 'others' : 'guards',
      stages: ['processOutputStream'],
      processDataParts: true,
      ...more,
    });
  async function step(...list: PlanEntry[]) {
    const discovery = createDiscovery(connection.bus);
    await discovery.refresh();
    const made = createTestRun({ bus: connection.bus, entries: list, discovery });
    onTestFinished(async () => {
      await eventually(() => made.openSessions() === 0);
      discovery.stop();
    });
    const chunks: Chunk[] = [];
    const kept: number[] = [];
    const chain = await openOutputChain(made.run, input, {
      output: (more) => void chunks.push(...more),
      retract(count) {
        kept.push(count);
        chunks.length = count;
      },
      listPassed: () => chunks,
    });
    onTestFinished(() => (releaseFragile(), chain.drop()));
    const push = (...more: Chunk[]) => more.forEach((one) => chain.push([one]));
    return {
      ...made,
      discovery,
      chain,
      chunks,
      /** The retracts: number of chunks that still counted. */
      kept,
      push,
      shows: (what: string) => eventually(() => makeText(chunks) === what),
      moves: () => made.logged.filter((line) => line.includes('opening the sessions again')).length,
    };
  }
  return { guards, others, step, entry };
}

/** One replica of a service at a time. */
function useReplica(nats: Nats, served: ProcessorDefinition[], name: string) {
  const service = useProcessors(nats, served, name);
  let live: typeof service.running | undefined;
  return {
    live: () => (live ??= service.running),
    async start() {
      const before = live ?? service.running;
      live = await service.start();
      if (before.bus.nc.isClosed()) await before.stop();
    },
    /** Disconnects from the bus abruptly, like a killed process. */
    kill: async () => (live ?? service.running).bus.nc.close(),
  };
}

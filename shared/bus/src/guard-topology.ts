// Notices that the server has lost what Millrace keeps there (its disk was emptied, a stream was removed by hand), and makes it anew:
// without that every submission would fail until an orchestrator is restarted. And that it has kept what was acknowledged.
import { toWireError } from '@millrace/contracts';
import type { ConsumerInfo } from '@nats-io/jetstream';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from './within.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import { removeAcknowledged } from './remove-acknowledged.ts';
import { consumersOf, ensureTopology, type TopologyOptions } from './topology.ts';

/** How long a loss goes unnoticed at most, ms. Five small requests each time. */
const CHECK_EVERY_MS = 3_000;

export type TopologyGuard = {
  /** Why nothing can be stored now; undefined: it can. */
  problem(): string | undefined;
  stop(): Promise<void>;
};

export type GuardOptions = TopologyOptions & {
  /** Called when what was lost is there again, empty. */
  restored?: () => Promise<void> | void;
  checkEveryMs?: number;
};

export function guardTopology(access: JetStreamAccess, options: GuardOptions = {}): TopologyGuard {
  const { restored, checkEveryMs = CHECK_EVERY_MS, ...topology } = options;
  const { bus } = access;
  const stopping = new AbortController();
  const { signal } = stopping;
  let problem: string | undefined;

  const clear = async (queues: readonly ConsumerInfo[]) => {
    const removed = await removeAcknowledged(access, queues);
    if (removed > 0) bus.log.warn({ removed }, 'NATS had kept acknowledged messages: they are removed');
  };
  const check = async () => {
    try {
      const { lost, queues } = await lookAtParts(access);
      if (lost.length > 0) {
        problem = `NATS has lost ${lost.join(', ')}`;
        bus.log.error({ lost }, 'NATS has lost what was stored there: it is made anew, empty');
        await ensureTopology(access, topology);
        await restored?.();
      } else await clear(queues);
      problem = undefined;
    } catch (error) {
      problem = `NATS stores nothing now: ${toWireError(error).message}`;
      bus.log.warn({ error: String(error) }, 'the store of NATS cannot be checked');
    }
  };
  const watch = async () => {
    while (!signal.aborted) {
      await delay(checkEveryMs, undefined, { signal }).catch(() => undefined);
      // A lost connection is said by the connection itself.
      if (!signal.aborted && bus.connected()) await check();
    }
  };
  const watching = watch();
  return {
    problem: () => problem,
    async stop() {
      stopping.abort();
      await within(watching, checkEveryMs);
    },
  };
}

/** `queues`: the consumers that are there. */
type Parts = { lost: string[]; queues: ConsumerInfo[] };

async function lookAtParts(access: JetStreamAccess): Promise<Parts> {
  const { bus, jsm } = access;
  const { runs, timers, events, state, agents, saves } = bus.names;
  const there = new Set<string>();
  for await (const name of jsm.streams.names()) there.add(name);
  const buckets = [state, agents, saves].map((name) => `KV_${name}`);
  const logs = Array.from({ length: access.logStreams }, (_, at) => bus.names.chunks(at));
  const lost = [runs, timers, ...logs, events, ...buckets].filter((name) => !there.has(name));
  const queues: ConsumerInfo[] = [];
  for (const stream of [runs, timers]) {
    if (!lost.includes(stream)) for await (const queue of jsm.consumers.list(stream)) queues.push(queue);
  }
  const found = new Set(queues.map(({ name }) => name));
  const consumers = consumersOf(bus).map(({ durable_name: name }) => name);
  return { lost: [...lost, ...consumers.filter((name) => !found.has(name))], queues };
}

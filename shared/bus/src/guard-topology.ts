// Notices that the server has lost what Millrace keeps there (its disk was emptied, a stream was removed by hand), and makes it anew:
// without that every submission would fail until an orchestrator is restarted. And that it has kept what was acknowledged.
import { toWireError } from '@millrace/contracts';
import type { ConsumerInfo } from '@nats-io/jetstream';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from './within.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import { isCode } from './jetstream-errors.ts';
import { removeAcknowledged } from './remove-acknowledged.ts';
import { ensureTopology, type TopologyOptions } from './topology.ts';

/** How long a loss goes unnoticed at most, ms. Five small requests each time. */
const CHECK_EVERY_MS = 3_000;
const CONSUMER_NOT_FOUND = 10014;

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

  const clear = async (queue: ConsumerInfo) => {
    const removed = await removeAcknowledged(access, queue);
    if (removed === 0) return;
    const { stream_name: stream } = queue;
    bus.log.warn({ stream, removed }, 'NATS had kept what was acknowledged: it is removed');
  };
  const check = async () => {
    try {
      const { lost, queues } = await lookAtParts(access);
      if (lost.length > 0) {
        problem = `NATS has lost ${lost.join(', ')}`;
        bus.log.error({ lost }, 'NATS has lost what was stored there: it is made anew, empty');
        await ensureTopology(access, topology);
        await restored?.();
      } else for (const queue of queues) await clear(queue);
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
  const { runs, timers, events, state, agents, saves, worker, expirer } = bus.names;
  const there = new Set<string>();
  for await (const name of jsm.streams.names()) there.add(name);
  const buckets = [state, agents, saves].map((name) => `KV_${name}`);
  const logs = Array.from({ length: access.logStreams }, (_, at) => bus.names.chunks(at));
  const lost = [runs, timers, ...logs, events, ...buckets].filter((name) => !there.has(name));
  const queues: ConsumerInfo[] = [];
  const consumers = [
    [runs, worker],
    [timers, expirer],
  ] as const;
  for (const [stream, consumer] of consumers) {
    const queue = lost.includes(stream) ? undefined : await findConsumer(access, stream, consumer);
    if (queue) queues.push(queue);
    else lost.push(consumer);
  }
  return { lost, queues };
}

async function findConsumer(
  { jsm }: JetStreamAccess,
  stream: string,
  consumer: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await jsm.consumers.info(stream, consumer);
  } catch (error) {
    if (isCode(error, CONSUMER_NOT_FOUND)) return undefined;
    throw error;
  }
}

// Notices that the server has lost what Millrace keeps there (its disk was emptied, a stream was removed by hand), and makes it anew:
// without that every submission would fail until an orchestrator is restarted.
import { toWireError } from '@millrace/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from './within.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import { isCode } from './jetstream-errors.ts';
import { ensureTopology, type TopologyOptions } from './topology.ts';

/** How long a loss goes unnoticed at most, ms. Three small requests each time. */
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

  const check = async () => {
    try {
      const lost = await lostParts(access);
      if (lost.length > 0) {
        problem = `NATS has lost ${lost.join(', ')}`;
        bus.log.error({ lost }, 'NATS has lost what was stored there: it is made anew, empty');
        await ensureTopology(access, topology);
        await restored?.();
      }
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

async function lostParts(access: JetStreamAccess): Promise<string[]> {
  const { bus, jsm } = access;
  const { runs, timers, events, state, agents, saves, worker, expirer } = bus.names;
  const there = new Set<string>();
  for await (const name of jsm.streams.names()) there.add(name);
  const buckets = [state, agents, saves].map((name) => `KV_${name}`);
  const logs = Array.from({ length: access.logStreams }, (_, at) => bus.names.chunks(at));
  const lost = [runs, timers, ...logs, events, ...buckets].filter((name) => !there.has(name));
  const consumers = [
    [runs, worker],
    [timers, expirer],
  ] as const;
  for (const [stream, consumer] of consumers) {
    if (lost.includes(stream) || !(await hasConsumer(access, stream, consumer))) lost.push(consumer);
  }
  return lost;
}

async function hasConsumer({ jsm }: JetStreamAccess, stream: string, consumer: string): Promise<boolean> {
  try {
    await jsm.consumers.info(stream, consumer);
    return true;
  } catch (error) {
    if (isCode(error, CONSUMER_NOT_FOUND)) return false;
    throw error;
  }
}

// Checks every few seconds that the server has the streams and consumers, that these are the ones that this process knows, that they take
// writes, and that acknowledged messages are removed. It creates lost ones again: otherwise every submission fails until a restart.
import { toWireError } from '@millrace/contracts';
import type { ConsumerInfo } from '@nats-io/jetstream';
import { setTimeout as delay } from 'node:timers/promises';
import { waitAtMost } from '../core/within.ts';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';
import { removeAcknowledged } from './remove-acknowledged.ts';
import { listConsumers, ensureTopology, type TopologyOptions } from './topology.ts';
import { createWriteProbe } from './write-probe.ts';

/** A loss is noticed within this time, ms. About ten small requests each time. */
const CHECK_EVERY_MS = 3_000;

export type TopologyGuard = {
  /** Why the store rejects writes; undefined: it accepts them. */
  findProblem(): string | undefined;
  stop(): Promise<void>;
};

export type GuardOptions = TopologyOptions & {
  /** Called when a stream was created again, here or by another process: copies of its content no longer count. */
  onRestored?: () => Promise<void> | void;
  checkEveryMs?: number;
};

export function guardTopology(access: JetStreamAccess, options: GuardOptions = {}): TopologyGuard {
  const { onRestored: restored, checkEveryMs = CHECK_EVERY_MS, ...topology } = options;
  const { bus } = access;
  const stopping = new AbortController();
  const { signal } = stopping;
  const probe = createWriteProbe(access);
  let problem: string | undefined;
  let known: CreationTimes | undefined;

  const restore = async ({ lost, created }: Parts) => {
    if (lost.length > 0) {
      problem = `NATS has lost ${lost.join(', ')}`;
      bus.log.error({ lost }, 'NATS has lost streams or consumers: they are created again, empty');
      await ensureTopology(access, topology);
    }
    const isNew = known !== undefined && [...created].some(([stream, at]) => known?.get(stream) !== at);
    if (isNew || lost.length > 0) await restored?.();
    known = created;
  };
  const clear = async (queues: readonly ConsumerInfo[]) => {
    const removed = await removeAcknowledged(access, queues);
    if (removed > 0) bus.log.warn({ removed }, 'NATS had kept acknowledged messages: they are removed');
  };
  const check = async () => {
    try {
      const parts = await readParts(access);
      await restore(parts);
      await access.clock.read();
      await probe.check();
      const broken = probe.findProblem();
      if (broken !== undefined && broken !== problem) bus.log.error({ problem: broken }, 'NATS rejects writes');
      problem = broken;
      if (broken === undefined && parts.lost.length === 0) await clear(parts.queues);
    } catch (error) {
      problem = `NATS rejects writes: ${toWireError(error).message}`;
      bus.log.warn({ error: String(error) }, 'checking the store of NATS failed');
    }
  };
  const watch = async () => {
    while (!signal.aborted) {
      // A lost connection is reported by the connection itself.
      if (bus.hasConnection()) await check();
      await delay(checkEveryMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  return {
    findProblem: () => problem,
    async stop() {
      stopping.abort();
      await waitAtMost(watching, checkEveryMs);
    },
  };
}

/** When each stream was created: another time than before means that it was lost and created again. */
type CreationTimes = ReadonlyMap<string, string>;
/** `queues`: the consumers that are there. */
type Parts = { lost: string[]; queues: ConsumerInfo[]; created: CreationTimes };

async function readParts(access: JetStreamAccess): Promise<Parts> {
  const { bus, jsm } = access;
  const { runs, timers, events, changes, state, agents, saves, erasures, circuits, budgets } = bus.names;
  const buckets = [state, agents, saves, erasures, circuits, budgets].map((name) => `KV_${name}`);
  const logs = Array.from({ length: access.logStreams }, (_, at) => bus.names.chunks(at));
  const own = [runs, timers, ...logs, events, changes, ...buckets];
  const created = new Map<string, string>();
  const lost: string[] = [];
  for await (const { config, created: at } of jsm.streams.list()) {
    if (own.includes(config.name)) created.set(config.name, at);
    // An older version takes the subjects of the shards away when it starts.
    if (config.name === runs && !config.subjects?.includes(bus.subjects.allRuns)) lost.push(`subjects of ${runs}`);
  }
  lost.push(...own.filter((name) => !created.has(name)));
  const queues: ConsumerInfo[] = [];
  for (const stream of [runs, timers]) {
    if (created.has(stream)) for await (const queue of jsm.consumers.list(stream)) queues.push(queue);
  }
  const found = new Set(queues.map(({ name }) => name));
  const consumers = listConsumers(bus).map(({ durable_name: name }) => name);
  return { lost: [...lost, ...consumers.filter((name) => !found.has(name))], queues, created };
}

// Defines Millrace's JetStream resources: the streams, the consumers of the work queues and the buckets, as a table.
import { AckPolicy, DiscardPolicy, RetentionPolicy, StorageType, type ConsumerConfig } from '@nats-io/jetstream';
import { RUN_SHARDS, timings } from '@millrace/contracts';
import type { Bus } from '../core/bus.ts';
import { NS_PER_MS, ensureBucket, ensureConsumer, ensureStreams, type WantedStream } from '../streams/ensure-config.ts';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';
import { logSubjects } from '../streams/log-streams.ts';
import { ensureLimits } from './stream-limits.ts';

const HOUR_MS = 3_600_000;
/** The longest deadline and ten minutes. Entries of a shorter run have a time to live of their own. */
const CHUNK_LOG_AGE_MS = 24 * HOUR_MS + 10 * 60_000;
const EVENTS_AGE_MS = 7 * 24 * HOUR_MS;
const CHANGES_AGE_MS = 24 * HOUR_MS;
const GIB = 1024 ** 3;
/** The oldest changes are discarded. */
const CHANGES_BYTES = GIB / 4;
const DEFAULT_BYTES = { commands: GIB, log: 2 * GIB, events: GIB };
/** Publishing twice within this time stores once: longer than an outage of a stream's leader. */
const DUPLICATE_WINDOW_MS = 2 * 60_000;
/** Default of `maxQueuedRuns`. */
export const MAX_QUEUED_RUNS = 10_000;
/** Default of `maxRunsInFlight`. */
const MAX_RUNS_IN_FLIGHT = 20_000;

export type TopologyOptions = {
  replicas?: number;
  /** Commands of one tenant in one shard that wait or are in flight; a submission beyond it is `queue-full`. */
  maxQueuedRuns?: number;
  /** Commands of one shard that orchestrators hold at once; the server delivers further ones when some of these are acknowledged. */
  maxRunsInFlight?: number;
  /** Of the streams of commands, of the chunk log together, and of events; absent: a default, unless they have limits already. */
  maxBytes?: { commands?: number | undefined; log?: number | undefined; events?: number | undefined };
};

/**
 * Creates or updates the streams, the consumers of the work queues and the buckets of this version. Repeatable: it
 * creates lost ones again. @throws stream-mismatch with both values, bus-unreachable
 */
export async function ensureTopology(access: JetStreamAccess, options: TopologyOptions = {}): Promise<void> {
  const { bus, jsm } = access;
  const { names } = bus;
  const { replicas = 1 } = options;
  const { prefix } = bus.subjects;
  const streams = listStreams(access, options).map((one) => ({ ...one, prefix }));
  const formerSubjects = [bus.subjects.unshardedRuns];
  await ensureStreams(
    jsm,
    streams.map((one) => (one.config.name === names.runs ? { ...one, formerSubjects } : one)),
  );
  for (const { stream, ...config } of listConsumers(bus, options)) await ensureConsumer(jsm, stream, config);
  await ensureBucket(access, names.state, { history: 1, replicas, prefix, markerTTL: HOUR_MS });
  await ensureBucket(access, names.agents, { history: 8, replicas, prefix });
  await access.clock.read();
  await ensureBucket(access, names.saves, { history: 1, replicas, prefix, markerTTL: HOUR_MS });
  await ensureBucket(access, names.erasures, { history: 1, replicas, prefix, markerTTL: HOUR_MS });
  await ensureBucket(access, names.circuits, { history: 1, replicas, prefix, markerTTL: HOUR_MS });
  await ensureBucket(access, names.budgets, { history: 1, replicas, prefix, markerTTL: HOUR_MS });
  await ensureLimits(access, streams);
}

type QueueConsumer = Partial<ConsumerConfig> & { durable_name: string; filter_subject: string; stream: string };

/**
 * The consumers of work queues, the one of unsharded commands first: versions without shards made it for all of the stream, and the
 * server accepts no consumer of a shard until its filter is narrowed.
 */
export function listConsumers({ names, subjects }: Bus, options: TopologyOptions = {}): QueueConsumer[] {
  const { maxRunsInFlight = MAX_RUNS_IN_FLIGHT } = options;
  const common = { ack_policy: AckPolicy.Explicit, ack_wait: timings.ackWaitMs * NS_PER_MS };
  const ofRuns = { ...common, stream: names.runs, max_ack_pending: maxRunsInFlight };
  return [
    { ...ofRuns, durable_name: names.worker(), filter_subject: subjects.unshardedRuns },
    ...Array.from({ length: RUN_SHARDS }, (_, shard) => ({
      ...ofRuns,
      durable_name: names.worker(shard),
      filter_subject: subjects.runsOfShard(shard),
    })),
    { ...common, stream: names.timers, durable_name: names.expirer, filter_subject: subjects.expiries },
  ];
}

function listStreams(
  { bus: { subjects, names }, logStreams }: JetStreamAccess,
  { replicas = 1, maxQueuedRuns = MAX_QUEUED_RUNS, maxBytes = {} }: TopologyOptions,
): Pick<WantedStream, 'config' | 'maxBytes'>[] {
  const common = {
    storage: StorageType.File,
    num_replicas: replicas,
    duplicate_window: DUPLICATE_WINDOW_MS * NS_PER_MS,
  };
  const keepFor = (ageMs: number) => ({ max_age: ageMs * NS_PER_MS, allow_direct: true });
  const buildLimit = (of: keyof typeof DEFAULT_BYTES, parts = 1) => {
    const bytes = maxBytes[of];
    return { maxBytes: { bytes: Math.ceil((bytes ?? DEFAULT_BYTES[of]) / parts), isSet: bytes !== undefined } };
  };
  const runs = {
    ...common,
    name: names.runs,
    subjects: [subjects.unshardedRuns, subjects.allRuns],
    retention: RetentionPolicy.Workqueue,
    // A subject is a tenant in a shard: a tenant that submits more than is done does not fill the queue of the others.
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    max_msgs_per_subject: maxQueuedRuns,
  };
  // Schedules, and the expiries that the server makes of them when they are due. A stream of its own: the server schedules into the same
  // stream alone, and into none that refuses new messages of a full subject, as that of the commands does.
  const timers = {
    ...common,
    name: names.timers,
    subjects: [subjects.allTimers, subjects.expiries],
    retention: RetentionPolicy.Workqueue,
    allow_msg_schedules: true,
  };
  const logs = logSubjects(subjects, logStreams).map((own, at) => ({
    ...common,
    name: names.chunks(at),
    subjects: own,
    // A full log refuses new chunks until those of ended runs are removed: it must not discard those of a run that has not ended.
    discard: DiscardPolicy.New,
    allow_msg_ttl: true,
    ...keepFor(CHUNK_LOG_AGE_MS),
  }));
  const events = { ...common, name: names.events, subjects: [subjects.allEvents], ...keepFor(EVENTS_AGE_MS) };
  const changes = { ...common, name: names.changes, subjects: [subjects.allChanges], ...keepFor(CHANGES_AGE_MS) };
  return [
    { config: runs, ...buildLimit('commands') },
    { config: timers },
    ...logs.map((config) => ({ config, ...buildLimit('log', logStreams) })),
    { config: events, ...buildLimit('events') },
    { config: changes, maxBytes: { bytes: CHANGES_BYTES, isSet: false } },
  ];
}

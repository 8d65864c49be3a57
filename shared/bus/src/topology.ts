// JetStream as Millrace uses it: the streams, the work queue's consumer and the buckets, as a table. Whoever comes first makes them;
// what is there is compared with the table, and changed where the server changes it.
import { MillraceError } from '@millrace/contracts';
import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  jetstream,
  jetstreamManager,
  type ConsumerConfig,
  type JetStreamClient,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { Bus } from './bus.ts';
import { configDifferences, type Difference } from './config-differences.ts';

export type JetStreamAccess = { bus: Bus; js: JetStreamClient; jsm: JetStreamManager };

/** @throws bus-unreachable when the server has no JetStream for us */
export async function openJetStream(bus: Bus): Promise<JetStreamAccess> {
  try {
    return { bus, js: jetstream(bus.nc), jsm: await jetstreamManager(bus.nc) };
  } catch (cause) {
    throw topologyError('its API', cause);
  }
}

const NS_PER_MS = 1_000_000;
const HOUR_MS = 3_600_000;
/** A run's default deadline and ten minutes. */
const CHUNK_LOG_AGE_MS = 20 * 60_000;
const EVENTS_AGE_MS = 7 * 24 * HOUR_MS;
/** Publishing twice within this time stores once: longer than an outage of a stream's leader. */
const DUPLICATE_WINDOW_MS = 2 * 60_000;
/**
 * A killed orchestrator is noticed after this. Owners extend it every 3 s while they work, and try writes for 15 s: it is more than both
 * together, so that an outage that an owner survives does not give its run to somebody else.
 */
const ACK_WAIT_MS = 20_000;
const MAX_ACK_PENDING = 10_000;
/** Commands of one tenant that wait or are worked on; a submission beyond it is `queue-full`. */
export const MAX_QUEUED_RUNS = 10_000;

export type TopologyOptions = {
  replicas?: number;
  /** For tests and small machines. */
  maxQueuedRuns?: number;
};

/**
 * The streams, the work queue's consumer and the buckets, as this version wants them. May be called again at any time: what was lost
 * is made anew. @throws stream-mismatch with both values, bus-unreachable
 */
export async function ensureTopology(access: JetStreamAccess, options: TopologyOptions = {}): Promise<void> {
  const { bus, jsm } = access;
  const { names } = bus;
  const { replicas = 1 } = options;
  for (const config of streamsOf(bus, options)) await ensureStream(jsm, config);
  await ensureConsumer(jsm, names.runs, {
    durable_name: names.worker,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ACK_WAIT_MS * NS_PER_MS,
    max_ack_pending: MAX_ACK_PENDING,
  });
  await ensureBucket(access, names.state, { history: 1, replicas, markerTTL: HOUR_MS });
  await ensureBucket(access, names.agents, { history: 8, replicas });
}

type Named = Partial<StreamConfig> & { name: string };

function streamsOf(
  { subjects, names }: Bus,
  { replicas = 1, maxQueuedRuns = MAX_QUEUED_RUNS }: TopologyOptions,
): Named[] {
  const common = {
    storage: StorageType.File,
    num_replicas: replicas,
    duplicate_window: DUPLICATE_WINDOW_MS * NS_PER_MS,
  };
  const kept = (ageMs: number) => ({ max_age: ageMs * NS_PER_MS, allow_direct: true });
  return [
    {
      ...common,
      name: names.runs,
      subjects: [subjects.allRuns],
      retention: RetentionPolicy.Workqueue,
      // A subject is a tenant: one that submits more than is done does not fill the queue of the others.
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
      max_msgs_per_subject: maxQueuedRuns,
    },
    { ...common, name: names.chunks, subjects: [subjects.logs], ...kept(CHUNK_LOG_AGE_MS) },
    { ...common, name: names.events, subjects: [subjects.allEvents], ...kept(EVENTS_AGE_MS) },
  ];
}

async function ensureStream(jsm: JetStreamManager, config: Named): Promise<void> {
  try {
    await jsm.streams.add(config);
    return;
  } catch (error) {
    if (!isCode(error, STREAM_NAME_EXISTS)) throw topologyError(config.name, error);
  }
  await matchStream(jsm, config);
}

/** What is there, with what we want of it. */
async function matchStream(jsm: JetStreamManager, wanted: Named): Promise<void> {
  const { name } = wanted;
  try {
    const there = (await jsm.streams.info(name)).config;
    const differences = configDifferences(there, wanted);
    if (differences.length === 0) return;
    await jsm.streams.update(name, { ...there, ...wanted }).catch((cause: unknown) => {
      throw mismatch(`Stream ${name}`, differences, cause);
    });
  } catch (error) {
    throw MillraceError.isInstance(error) ? error : topologyError(name, error);
  }
}

async function ensureConsumer(
  jsm: JetStreamManager,
  stream: string,
  wanted: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  const { durable_name: name } = wanted;
  try {
    await jsm.consumers.add(stream, wanted);
    return;
  } catch (error) {
    if (!isCode(error, CONSUMER_EXISTS)) throw topologyError(name, error);
  }
  try {
    const there = (await jsm.consumers.info(stream, name)).config;
    const differences = configDifferences(there, wanted);
    if (differences.length === 0) return;
    await jsm.consumers.update(stream, name, { ...there, ...wanted }).catch((cause: unknown) => {
      throw mismatch(`Consumer ${name}`, differences, cause);
    });
  } catch (error) {
    throw MillraceError.isInstance(error) ? error : topologyError(name, error);
  }
}

type Bucket = { history: number; replicas: number; markerTTL?: number };

async function ensureBucket({ bus, jsm }: JetStreamAccess, bucket: string, wanted: Bucket): Promise<void> {
  try {
    await new Kvm(bus.nc).create(bucket, wanted);
  } catch (error) {
    if (!isCode(error, STREAM_NAME_EXISTS)) throw topologyError(bucket, error);
  }
  const { history, replicas, markerTTL } = wanted;
  await matchStream(jsm, {
    name: `KV_${bucket}`,
    max_msgs_per_subject: history,
    num_replicas: replicas,
    ...(markerTTL !== undefined && { allow_msg_ttl: true, subject_delete_marker_ttl: markerTTL * NS_PER_MS }),
  });
}

const STREAM_NAME_EXISTS = 10058;
const CONSUMER_EXISTS = 10148;
export const WRONG_LAST_SEQUENCE = 10071;
/** A store refused, in our streams only because the subject has all the messages that it may have. */
export const SUBJECT_IS_FULL = 10077;

export function isCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}

function mismatch(what: string, differences: readonly Difference[], cause: unknown): MillraceError {
  const each = differences.map(({ key, there, wanted }) => `${key} is ${there}, and should be ${wanted}`);
  return new MillraceError('stream-mismatch', `${what} has another configuration: ${each.join('; ')}.`, {
    cause,
    remedy: `The server does not change it (${String(cause)}): change it with the nats tool, or remove it when it is empty.`,
  });
}

function topologyError(name: string, cause: unknown): MillraceError {
  return new MillraceError('bus-unreachable', `JetStream does not give ${name}: ${String(cause)}`, {
    cause,
    remedy: 'Run nats-server 2.12 or newer with JetStream enabled (-js).',
  });
}

// JetStream as Millrace uses it: streams and buckets made on first use, publishes that are acknowledged and tried again with
// their msgID, a work queue pulled one command at a time, and entries written by compare-and-set.
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
/** A run's deadline and ten minutes (architecture.md, section 7). */
const CHUNK_LOG_AGE_MS = 20 * 60_000;
const EVENTS_AGE_MS = 7 * 24 * HOUR_MS;
/** Publishing twice within this time stores once: longer than an outage of a stream's leader. */
const DUPLICATE_WINDOW_MS = 2 * 60_000;
/** A killed orchestrator is noticed after this. Owners extend it while they work. */
const ACK_WAIT_MS = 10_000;
const MAX_ACK_PENDING = 10_000;

export type TopologyOptions = { replicas?: number };

/** The streams, the work queue's consumer and the buckets. Whoever comes first makes them; what is there is left alone. */
export async function ensureTopology(access: JetStreamAccess, { replicas = 1 }: TopologyOptions = {}): Promise<void> {
  const { bus, jsm } = access;
  const { subjects, names } = bus;
  const common = {
    storage: StorageType.File,
    num_replicas: replicas,
    duplicate_window: DUPLICATE_WINDOW_MS * NS_PER_MS,
  };
  await ensureStream(jsm, {
    ...common,
    name: names.runs,
    subjects: [subjects.allRuns],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
  });
  await ensureStream(jsm, {
    ...common,
    name: names.chunks,
    subjects: [subjects.logs],
    max_age: CHUNK_LOG_AGE_MS * NS_PER_MS,
    allow_direct: true,
  });
  await ensureStream(jsm, {
    ...common,
    name: names.events,
    subjects: [subjects.allEvents],
    max_age: EVENTS_AGE_MS * NS_PER_MS,
    allow_direct: true,
  });
  await ensureConsumer(jsm, names.runs, {
    durable_name: names.worker,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ACK_WAIT_MS * NS_PER_MS,
    max_ack_pending: MAX_ACK_PENDING,
  });
  const kvm = new Kvm(bus.nc);
  await kvm.create(names.state, { history: 1, replicas, markerTTL: HOUR_MS });
  await kvm.create(names.agents, { history: 8, replicas });
}

async function ensureStream(jsm: JetStreamManager, config: Partial<StreamConfig> & { name: string }): Promise<void> {
  try {
    await jsm.streams.add(config);
  } catch (error) {
    if (!isCode(error, STREAM_NAME_EXISTS)) throw topologyError(config.name, error);
  }
}

async function ensureConsumer(jsm: JetStreamManager, stream: string, config: Partial<ConsumerConfig>): Promise<void> {
  try {
    await jsm.consumers.add(stream, config);
  } catch (error) {
    if (!isCode(error, CONSUMER_EXISTS)) throw topologyError(String(config.durable_name), error);
  }
}

const STREAM_NAME_EXISTS = 10058;
const CONSUMER_EXISTS = 10148;
export const WRONG_LAST_SEQUENCE = 10071;
/** A store refused, in our streams only because the subject has all the messages that it may have. */
export const SUBJECT_IS_FULL = 10077;

export function isCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}

function topologyError(name: string, cause: unknown): MillraceError {
  return new MillraceError('bus-unreachable', `JetStream does not give ${name}: ${String(cause)}`, {
    cause,
    remedy: 'Run nats-server 2.12 or newer with JetStream enabled (-js).',
  });
}

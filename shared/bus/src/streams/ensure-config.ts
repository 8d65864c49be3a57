// Creates a stream, consumer or bucket, or compares the existing one. Limits are updated; the prefix, subjects, retention and storage are
// not: they belong to a running system, which would lose its data.
import { MillraceError } from '@millrace/contracts';
import type { ConsumerConfig, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { JetStreamAccess } from './jetstream-access.ts';
import {
  CONSUMER_EXISTS,
  STREAM_NAME_EXISTS,
  STREAM_NOT_FOUND,
  isCode,
  createMissingError,
} from './jetstream-errors.ts';

type ConfigDifference = { key: string; there: string; wanted: string };

/** Compares the wanted members of a configuration with those of the server, which adds defaults. Pure. */
export function findConfigDifferences(there: object, wanted: object): ConfigDifference[] {
  const had = new Map<string, unknown>(Object.entries(there));
  return Object.entries(wanted).flatMap(([key, value]) => {
    const [one, other] = [formatValue(had.get(key)), formatValue(value)];
    return one === other ? [] : [{ key, there: one, wanted: other }];
  });
}

/** A server omits members that are false or zero. */
function formatValue(value: unknown): string {
  return value === undefined || value === false || value === 0 ? 'not set' : JSON.stringify(value);
}

export const NS_PER_MS = 1_000_000;

type NamedConfig = Partial<StreamConfig> & { name: string };

export type WantedStream = {
  config: NamedConfig;
  /** The prefix that the stream belongs to: stored in its metadata, since two prefixes can have the same stream names. */
  prefix: string;
  /** Subjects that an older version gave the stream: they alone are updated to those of `config`. */
  formerSubjects?: readonly string[];
  /** Limit of its size. One that is not `isSet` is a default, which replaces no limit that the stream has. */
  maxBytes?: { bytes: number; isSet: boolean };
};

/** Never updated. */
const FIXED = ['subjects', 'retention', 'storage'] as const;
const PREFIX_KEY = 'millrace_prefix';

/** Compares all existing ones before the first one is changed. @throws stream-mismatch with both values, bus-unreachable */
export async function ensureStreams(jsm: JetStreamManager, wanted: readonly WantedStream[]): Promise<void> {
  const compared = await Promise.allSettled(wanted.map((one) => compareStream(jsm, one)));
  // The first mismatch in the order of the table, whichever answer arrived first.
  for (const one of compared) if (one.status === 'rejected') throw one.reason;
  for (const one of wanted) await ensureStream(jsm, one);
}

async function compareStream(jsm: JetStreamManager, wanted: WantedStream): Promise<void> {
  const there = await jsm.streams.info(wanted.config.name).catch((error: unknown) => {
    if (isCode(error, STREAM_NOT_FOUND)) return undefined;
    throw createMissingError(wanted.config.name, error);
  });
  if (there) refuseForeign(there.config, wanted);
}

async function ensureStream(jsm: JetStreamManager, { config, prefix, formerSubjects }: WantedStream): Promise<void> {
  try {
    await jsm.streams.add({ ...config, metadata: { [PREFIX_KEY]: prefix } });
    return;
  } catch (error) {
    if (!isCode(error, STREAM_NAME_EXISTS)) throw createMissingError(config.name, error);
  }
  await matchStream(jsm, { config, prefix, ...(formerSubjects && { formerSubjects }) });
}

async function matchStream(jsm: JetStreamManager, wanted: WantedStream): Promise<void> {
  const { config, prefix } = wanted;
  const { name } = config;
  try {
    const there = (await jsm.streams.info(name)).config;
    refuseForeign(there, wanted);
    const differences = findConfigDifferences(there, config);
    if (differences.length === 0 && there.metadata?.[PREFIX_KEY] !== undefined) return;
    const metadata = { ...there.metadata, [PREFIX_KEY]: prefix };
    await jsm.streams.update(name, { ...there, ...config, metadata }).catch((cause: Error) => {
      throw createMismatchError(`Stream ${name}`, differences, cause);
    });
  } catch (error) {
    throw MillraceError.isInstance(error) ? error : createMissingError(name, error);
  }
}

/** A stream that is another system's, or that this system cannot take over without losing data. */
function refuseForeign(there: StreamConfig, { config, prefix, formerSubjects }: WantedStream): void {
  const owner = there.metadata?.[PREFIX_KEY];
  if (owner !== undefined && owner !== prefix) throw createPrefixError(config.name, owner, prefix);
  const isFormer = JSON.stringify(there.subjects) === JSON.stringify(formerSubjects);
  const fixed = FIXED.filter((key) => config[key] !== undefined && !(key === 'subjects' && isFormer));
  const wanted = Object.fromEntries(fixed.map((key) => [key, config[key]]));
  const differences = findConfigDifferences(there, wanted);
  if (differences.length > 0) throw createMismatchError(`Stream ${config.name}`, differences);
}

export async function ensureConsumer(
  jsm: JetStreamManager,
  stream: string,
  wanted: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  const { durable_name: name } = wanted;
  try {
    await jsm.consumers.add(stream, wanted);
    return;
  } catch (error) {
    if (!isCode(error, CONSUMER_EXISTS)) throw createMissingError(name, error);
  }
  try {
    const there = (await jsm.consumers.info(stream, name)).config;
    const differences = findConfigDifferences(there, wanted);
    if (differences.length === 0) return;
    await jsm.consumers.update(stream, name, { ...there, ...wanted }).catch((cause: Error) => {
      throw createMismatchError(`Consumer ${name}`, differences, cause);
    });
  } catch (error) {
    throw MillraceError.isInstance(error) ? error : createMissingError(name, error);
  }
}

type Bucket = { history: number; replicas: number; prefix: string; markerTTL?: number };

export async function ensureBucket({ bus, jsm }: JetStreamAccess, bucket: string, wanted: Bucket): Promise<void> {
  try {
    await new Kvm(bus.nc).create(bucket, wanted);
  } catch (error) {
    if (!isCode(error, STREAM_NAME_EXISTS)) throw createMissingError(bucket, error);
  }
  const { history, replicas, prefix, markerTTL } = wanted;
  const config = {
    name: `KV_${bucket}`,
    max_msgs_per_subject: history,
    num_replicas: replicas,
    ...(markerTTL !== undefined && { allow_msg_ttl: true, subject_delete_marker_ttl: markerTTL * NS_PER_MS }),
  };
  await matchStream(jsm, { config, prefix });
}

/** @param cause the server's refusal; absent: the update is not attempted */
export function createMismatchError(
  what: string,
  differences: readonly ConfigDifference[],
  cause?: Error,
): MillraceError {
  const each = differences.map(({ key, there, wanted }) => `${key} is ${there}, and should be ${wanted}`);
  const why =
    cause === undefined ? 'A running system is not changed' : `The server does not change it (${String(cause)})`;
  return new MillraceError('stream-mismatch', `${what} has an incompatible configuration: ${each.join('; ')}.`, {
    cause,
    remedy: `${why}: start with the setting that it was created with, change it with the nats tool, or remove it when it is empty.`,
  });
}

function createPrefixError(name: string, owner: string, prefix: string): MillraceError {
  return new MillraceError('stream-mismatch', `Stream ${name} belongs to the prefix "${owner}", not to "${prefix}".`, {
    path: 'MILLRACE_PREFIX',
    remedy: `Set MILLRACE_PREFIX to "${owner}" to join that system, or to a prefix that differs in more than "." and "_".`,
  });
}

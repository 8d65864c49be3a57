// A stream, consumer or bucket as it is wanted: whoever comes first makes it; one that is there is compared, and changed where the
// server changes it.
import { MillraceError } from '@millrace/contracts';
import type { ConsumerConfig, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { configDifferences, type Difference } from './config-differences.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import { CONSUMER_EXISTS, STREAM_NAME_EXISTS, isCode, notGiven } from './jetstream-errors.ts';

export const NS_PER_MS = 1_000_000;

export type Named = Partial<StreamConfig> & { name: string };

export async function ensureStream(jsm: JetStreamManager, config: Named): Promise<void> {
  try {
    await jsm.streams.add(config);
    return;
  } catch (error) {
    if (!isCode(error, STREAM_NAME_EXISTS)) throw notGiven(config.name, error);
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
    throw MillraceError.isInstance(error) ? error : notGiven(name, error);
  }
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
    if (!isCode(error, CONSUMER_EXISTS)) throw notGiven(name, error);
  }
  try {
    const there = (await jsm.consumers.info(stream, name)).config;
    const differences = configDifferences(there, wanted);
    if (differences.length === 0) return;
    await jsm.consumers.update(stream, name, { ...there, ...wanted }).catch((cause: unknown) => {
      throw mismatch(`Consumer ${name}`, differences, cause);
    });
  } catch (error) {
    throw MillraceError.isInstance(error) ? error : notGiven(name, error);
  }
}

type Bucket = { history: number; replicas: number; markerTTL?: number };

export async function ensureBucket({ bus, jsm }: JetStreamAccess, bucket: string, wanted: Bucket): Promise<void> {
  try {
    await new Kvm(bus.nc).create(bucket, wanted);
  } catch (error) {
    if (!isCode(error, STREAM_NAME_EXISTS)) throw notGiven(bucket, error);
  }
  const { history, replicas, markerTTL } = wanted;
  await matchStream(jsm, {
    name: `KV_${bucket}`,
    max_msgs_per_subject: history,
    num_replicas: replicas,
    ...(markerTTL !== undefined && { allow_msg_ttl: true, subject_delete_marker_ttl: markerTTL * NS_PER_MS }),
  });
}

function mismatch(what: string, differences: readonly Difference[], cause: unknown): MillraceError {
  const each = differences.map(({ key, there, wanted }) => `${key} is ${there}, and should be ${wanted}`);
  return new MillraceError('stream-mismatch', `${what} has another configuration: ${each.join('; ')}.`, {
    cause,
    remedy: `The server does not change it (${String(cause)}): change it with the nats tool, or remove it when it is empty.`,
  });
}

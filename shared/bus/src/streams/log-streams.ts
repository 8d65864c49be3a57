// The map from the shards of the chunk log to the streams that hold them. It is stored data: the subjects of the streams themselves, which the
// first orchestrator creates by `LOG_STREAMS`, and which every orchestrator reads when it starts. The map does not change afterwards, because
// a stream keeps the chunks that it has stored when its subjects change, and readers would look for them in another one.
import { LOG_SHARDS, MillraceError, type Subjects } from '@millrace/contracts';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { Bus } from '../core/bus.ts';

/** The subjects of each stream: a stream holds every so many-th shard. */
export function logSubjects(subjects: Subjects, logStreams: number): string[][] {
  if (logStreams === 1) return [[subjects.logs]];
  const shards = Array.from({ length: LOG_SHARDS }, (_, shard) => shard);
  return Array.from({ length: logStreams }, (_, at) =>
    shards.filter((shard) => shard % logStreams === at).map((shard) => subjects.shardLogs(shard)),
  );
}

/** Returns the number of streams that hold the chunk log. @throws stream-mismatch when another number is configured */
export async function countLogStreams(
  jsm: JetStreamManager,
  bus: Bus,
  configured: number | undefined,
): Promise<number> {
  const stored = await readCount(jsm, bus);
  if (stored === undefined) return configured ?? 1;
  if (configured === undefined || configured === stored) return stored;
  const message = `LOG_STREAMS is ${configured}, and the chunk log of this system is in ${stored} stream${stored === 1 ? '' : 's'}.`;
  throw new MillraceError('stream-mismatch', message, {
    path: 'LOG_STREAMS',
    remedy: `Set LOG_STREAMS to ${stored}, or leave it out. The number is fixed by the first start under a MILLRACE_PREFIX.`,
  });
}

/**
 * undefined: no stream holds the log. The number follows from the subjects of each stream, so a lost stream does not
 * change it.
 */
async function readCount(jsm: JetStreamManager, { subjects, names }: Bus): Promise<number | undefined> {
  const counts = Array.from({ length: LOG_SHARDS }, (_, at) => at + 1);
  for await (const { config } of jsm.streams.list(subjects.logs)) {
    const own = JSON.stringify(config.subjects);
    const isLog = (its: string[], at: number) => names.chunks(at) === config.name && JSON.stringify(its) === own;
    const found = counts.find((count) => logSubjects(subjects, count).some(isLog));
    if (found !== undefined) return found;
  }
  return undefined;
}

// Removes acknowledged messages that the server has kept in a work queue. If the disk takes nothing just then, the server counts the
// acknowledgement, answers it, and never removes the message, not after a restart either: the server delivers it to no consumer again, and it
// takes one of its tenant's places for ever.
import type { ConsumerInfo } from '@nats-io/jetstream';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';

/**
 * @param consumers all consumers of their streams, without overlapping filters. @returns the number of removed messages. Throws the
 * server's refusals: a disk that takes nothing is one of them
 */
export async function removeAcknowledged(access: JetStreamAccess, consumers: readonly ConsumerInfo[]): Promise<number> {
  const byStream = Map.groupBy(consumers, ({ stream_name: stream }) => stream);
  let removed = 0;
  for (const [stream, ofStream] of byStream) removed += await removeFrom(access, stream, ofStream);
  return removed;
}

/** Reads the counts of the single subjects only if the stream holds more than all of its consumers have to deliver and to hear of. */
async function removeFrom(
  { jsm }: JetStreamAccess,
  stream: string,
  consumers: readonly ConsumerInfo[],
): Promise<number> {
  const { state } = await jsm.streams.info(stream);
  const open = consumers.reduce((sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending, 0);
  if (state.messages <= open) return 0;
  let removed = 0;
  for (const { ack_floor: floor, num_pending, num_ack_pending, config } of consumers) {
    const { filter_subject: filter = '>' } = config;
    const { subjects = {} } = (await jsm.streams.info(stream, { subjects_filter: filter })).state;
    const stored = Object.values(subjects).reduce((sum, count) => sum + count, 0);
    if (floor.stream_seq === 0 || stored <= num_pending + num_ack_pending) continue;
    // A message that was stored since has a sequence above the floor.
    removed += (await jsm.streams.purge(stream, { filter, seq: floor.stream_seq + 1 })).purged;
  }
  return removed;
}

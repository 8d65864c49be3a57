// What a queue's consumer has acknowledged is to be gone from its stream. Where the disk takes nothing just then, the server counts the
// acknowledgement, answers it, and never removes the message, not after a restart either: nobody is given it again, and it takes one of its
// tenant's places for ever.
import type { ConsumerInfo } from '@nats-io/jetstream';
import type { JetStreamAccess } from './jetstream-access.ts';

/**
 * @param info of the only consumer that these messages have. @returns how many there were. Throws what the server answers: a disk that
 * still takes nothing is one of it
 */
export async function removeAcknowledged({ jsm }: JetStreamAccess, info: ConsumerInfo): Promise<number> {
  const { stream_name: stream, ack_floor, num_pending, num_ack_pending, config } = info;
  const { filter_subject: filter } = config;
  const isAll = filter === undefined;
  const { state } = await jsm.streams.info(stream, isAll ? {} : { subjects_filter: filter });
  const isLeft = isAll
    ? state.messages > 0 && state.first_seq <= ack_floor.stream_seq
    : (state.subjects?.[filter] ?? 0) > num_pending + num_ack_pending;
  if (!isLeft) return 0;
  // What has come since is above it.
  return (await jsm.streams.purge(stream, { ...(!isAll && { filter }), seq: ack_floor.stream_seq + 1 })).purged;
}

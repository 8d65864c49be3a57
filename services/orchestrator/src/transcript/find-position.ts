// Finds a run's position in the log's stream without reading the messages before it: messages of runs are interleaved,
// but those of one run are in the order of their positions. A late message of a replaced owner is out of order and
// obsolete.
import { isAfter, endsBefore, loggedBatchSchema, type ChunkBatch, type Position } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { readPage, type StoredMessage } from '../streams/read-stored.ts';
import type { Base } from './visible-chunks.ts';

type StoredChunkLog = { access: JetStreamAccess; stream: string; subject: string };
type PositionSearch = StoredChunkLog & { owners: readonly Base[] };

/**
 * Returns the sequence of the last message that begins at the position or before it, or 1 if none does. Returns
 * undefined if nothing is stored from there on.
 */
export async function findPosition(search: PositionSearch, position: Position): Promise<number | undefined> {
  const last = await readLastStored(search);
  if (last === undefined) return undefined;
  // If the last message is obsolete, an earlier one may reach further.
  if (!isObsolete(last.value, search.owners) && endsBefore(last.value, position)) return undefined;
  if (position.epoch === 1 && position.index === 0) return 1;
  let best = 1;
  let [low, high] = [1, last.sequence];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const probe = await findFirstValid(search, middle, high);
    if (probe && !isAfter(probe.value, position)) {
      best = probe.sequence;
      low = probe.sequence + 1;
    } else high = middle - 1;
  }
  return best;
}

async function readLastStored(log: StoredChunkLog): Promise<StoredMessage<ChunkBatch> | undefined> {
  const { access, stream, subject } = log;
  const message = await access.jsm.direct.getMessage(stream, { last_by_subj: subject });
  if (!message) return undefined;
  const { found } = await readOne(log, message.seq);
  return found[0];
}

/** The first message from `from` to `to` that no later owner made obsolete. */
async function findFirstValid(search: PositionSearch, from: number, to: number) {
  for (let next: number | undefined = from; next !== undefined && next <= to;) {
    const page: Awaited<ReturnType<typeof readOne>> = await readOne(search, next);
    const [message] = page.found;
    if (message && message.sequence > to) return undefined;
    if (message && !isObsolete(message.value, search.owners)) return message;
    next = page.next;
  }
  return undefined;
}

const readOne = ({ access, stream, subject }: StoredChunkLog, from: number) =>
  readPage(
    access,
    { stream, subject, schema: loggedBatchSchema, isLog: true as const },
    { from, maxMessages: 1, maxBytes: 1 },
  );

function isObsolete({ epoch, index }: ChunkBatch, owners: readonly Base[]): boolean {
  return owners.some((base) => base.epoch > epoch && index >= base.index);
}

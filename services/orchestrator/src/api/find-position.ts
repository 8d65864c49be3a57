// Where in the log's stream a position of a run stands, without reading what comes before it: the runs' messages are interleaved, but
// those of one run stand in the order of their positions. What a replaced owner stored late stands out of order, and is obsolete.
import { loggedBatchSchema, type ChunkBatch } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { isBehind } from './missing-chunks.ts';
import { readPage, type StoredMessage } from './read-stored.ts';
import type { Base, Position } from './visible-chunks.ts';

type Log = { access: JetStreamAccess; stream: string; subject: string };
type Search = Log & { owners: readonly Base[] };

/**
 * Sequence of the last message that begins at the position or before it; 1 where none does. undefined: nothing is stored from there on.
 */
export async function findPosition(search: Search, position: Position): Promise<number | undefined> {
  const last = await lastStored(search);
  if (last === undefined) return undefined;
  // Where the last one is obsolete, what is before it may reach further.
  if (!isObsolete(last.value, search.owners) && ends(last.value, position)) return undefined;
  if (position.epoch === 1 && position.index === 0) return 1;
  let best = 1;
  let [low, high] = [1, last.sequence];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const probe = await firstValid(search, middle, high);
    if (probe && !isBehind(probe.value, position)) {
      best = probe.sequence;
      low = probe.sequence + 1;
    } else high = middle - 1;
  }
  return best;
}

async function lastStored(log: Log): Promise<StoredMessage<ChunkBatch> | undefined> {
  const { access, stream, subject } = log;
  const message = await access.jsm.direct.getMessage(stream, { last_by_subj: subject });
  if (!message) return undefined;
  const { found } = await readOne(log, message.seq);
  return found[0];
}

/** The first message from `from` to `to` that no later owner made obsolete. */
async function firstValid(search: Search, from: number, to: number) {
  for (let next: number | undefined = from; next !== undefined && next <= to;) {
    const page: Awaited<ReturnType<typeof readOne>> = await readOne(search, next);
    const [message] = page.found;
    if (message && message.sequence > to) return undefined;
    if (message && !isObsolete(message.value, search.owners)) return message;
    next = page.next;
  }
  return undefined;
}

const readOne = ({ access, stream, subject }: Log, from: number) =>
  readPage(
    access,
    { stream, subject, schema: loggedBatchSchema, isLog: true as const },
    { from, maxMessages: 1, maxBytes: 1 },
  );

function isObsolete({ epoch, index }: ChunkBatch, owners: readonly Base[]): boolean {
  return owners.some((base) => base.epoch > epoch && index >= base.index);
}

/** Nothing of the batch is at the position or after it. */
function ends({ epoch, index, chunks }: ChunkBatch, position: Position): boolean {
  return epoch < position.epoch || (epoch === position.epoch && index + chunks.length <= position.index);
}

// Generated runs as their owners publish them, and a reader that follows the protocol of replays: it takes an answer as
// the complete truth from the requested position to the answer's end.
import type { ChunkBatch, Position } from '@millrace/contracts';
import type { TakenBack } from '../transcript/visible-chunks.ts';

export type Placed = Position & { chunk: LoggedChunk };
/** One owner: texts, and retracts of a number of chunks before them. */
export type Owner = readonly (string | number)[];

type LoggedChunk = ChunkBatch['chunks'][number];
export const text = (words: string): LoggedChunk => ({ type: 'text-delta', payload: { text: words } });
export const retract = (index: number): LoggedChunk => ({ type: 'retract', payload: { index } });

/** @param shares position at which each owner after the first continues, as a share of the previous one's chunks */
export function makeHistory(owners: readonly Owner[], shares: readonly number[] = []): Placed[] {
  const history: Placed[] = [];
  let base = 0;
  for (const [at, says] of owners.entries()) {
    const epoch = at + 1;
    const chunks = at === 0 ? [text('start')] : [retract(base)];
    for (const word of says) {
      const index = base + chunks.length;
      chunks.push(typeof word === 'string' ? text(`${epoch}:${index} ${word}`) : retract(Math.max(index - word, 0)));
    }
    chunks.forEach((chunk, n) => history.push({ epoch, index: base + n, chunk }));
    base += Math.floor((shares[at] ?? 0) * chunks.length);
  }
  return history;
}

/** The chunks as the log holds them: one owner's chunks in batches, in order. */
export function makeLog(history: readonly Placed[], size = 3): ChunkBatch[] {
  const batches: ChunkBatch[] = [];
  for (const { epoch, index, chunk } of history) {
    const last = batches.at(-1);
    if (last && last.epoch === epoch && last.chunks.length < size) last.chunks.push(chunk);
    else batches.push({ epoch, index, chunks: [chunk] });
  }
  return batches;
}

export type Reader = { next: Position; has: Placed[] };
export const newReader = (): Reader => ({ next: { epoch: 1, index: 0 }, has: [] });

/** Applies one chunk: a retract drops from its index on, a higher epoch from its first chunk on. */
export function take(reader: Reader, placed: Placed): Reader {
  const { epoch, index, chunk } = placed;
  const isNewOwner = epoch > reader.next.epoch;
  const retracted = 'payload' in chunk && chunk.type === 'retract' ? Number(Object(chunk['payload']).index) : Infinity;
  const floor = Math.min(isNewOwner ? index : Infinity, retracted);
  const has = reader.has.filter((known) => known.index < floor);
  return { next: { epoch, index: index + 1 }, has: chunk.type === 'retract' ? has : [...has, placed] };
}

export function takeAnswer(reader: Reader, batches: readonly ChunkBatch[], end: Position): Reader {
  const placed = batches.flatMap(({ epoch, index, chunks }) =>
    chunks.map((chunk, at): Placed => ({ epoch, index: index + at, chunk })),
  );
  return { ...placed.reduce(take, reader), next: end };
}

/** The retracted chunks according to the head and the log's retracts. */
export function listRetracted(log: readonly ChunkBatch[]): TakenBack {
  const bases = new Map<number, number>();
  for (const { epoch, index } of log) bases.set(epoch, Math.min(bases.get(epoch) ?? Infinity, index));
  return { retracts: log, owners: [...bases].map(([epoch, index]) => ({ epoch, index })) };
}

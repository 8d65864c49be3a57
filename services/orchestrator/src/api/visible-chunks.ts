// What a reader is told of a run's logged chunks: what still counts, from a position on, a page at a time. Pure.
//
// A reader takes an answer as the whole truth from the position that it asked for up to the answer's end: what is not there in
// between does not count. So an answer ends with the last chunk that it covers, in that chunk's epoch, also where that chunk
// itself is left out; and a retract comes wherever it takes back something before the position that was asked for, even when a
// later one takes the retract itself back.
import type { ChunkBatch, Owner } from '@millrace/contracts';

export type Position = { epoch: number; index: number };
/** Where an owner's chunks begin. */
export type Base = Pick<Owner, 'epoch' | 'index'>;
/** What takes chunks back: all retracts of the run, and where each owner went on. */
export type TakenBack = { retracts: readonly ChunkBatch[]; owners: readonly Base[] };
export type Visible = {
  batches: ChunkBatch[];
  /** After the last chunk that the answer covers; the position that was asked for where there is nothing. */
  end: Position;
  /** Nothing of what was given is after `end`. */
  complete: boolean;
};

type Piece = Position & { chunk: ChunkBatch['chunks'][number] };

/**
 * @param logged what the log holds from `from` on, or a first part of it, without what later owners made obsolete or with it
 * @param maxBytes of the chunks as JSON; a first chunk that is larger comes all the same
 */
export function visibleChunks(
  logged: readonly ChunkBatch[],
  { retracts, owners }: TakenBack,
  from: Position,
  maxBytes: number,
): Visible {
  const asked = distinct(logged.flatMap(piecesOf).toSorted(byPosition)).filter((piece) => byPosition(piece, from) >= 0);
  const last = asked.at(-1);
  const takenBack = retracts.flatMap(piecesOf).filter(isRetract);
  const isGone = (piece: Piece) =>
    takenBack.some((by) => byPosition(by, piece) > 0 && piece.index >= retractedFrom(by)) ||
    owners.some(({ epoch, index }) => epoch > piece.epoch && piece.index >= index);
  const isTold = (by: Piece) =>
    byPosition(by, from) >= 0 && last !== undefined && byPosition(by, last) <= 0 && retractedFrom(by) < from.index;
  const counting = asked.filter((piece) => !isRetract(piece) && !isGone(piece));
  const told = distinct([...counting, ...takenBack.filter(isTold)].toSorted(byPosition));
  const page = withinBytes(told, maxBytes);
  const complete = page.length === told.length;
  const covered = complete ? last : page.at(-1);
  return { batches: gathered(page), end: covered ? positionAfter(covered) : from, complete };
}

const positionAfter = ({ epoch, index }: Position): Position => ({ epoch, index: index + 1 });
const piecesOf = ({ epoch, index, chunks }: ChunkBatch): Piece[] =>
  chunks.map((chunk, at) => ({ epoch, index: index + at, chunk }));
const byPosition = (one: Position, other: Position) => one.epoch - other.epoch || one.index - other.index;

/** A message that was stored twice counts once. */
function distinct(sorted: readonly Piece[]): Piece[] {
  return sorted.filter((piece, at) => at === 0 || byPosition(piece, sorted[at - 1] ?? piece) !== 0);
}

const isRetract = ({ chunk }: Piece): boolean => chunk.type === 'retract';

function retractedFrom({ chunk }: Piece): number {
  const payload: unknown = chunk['payload'];
  return typeof payload === 'object' && payload !== null && 'index' in payload ? Number(payload.index) : Infinity;
}

function withinBytes(pieces: readonly Piece[], maxBytes: number): Piece[] {
  let bytes = 0;
  const over = pieces.findIndex(({ chunk }) => (bytes += Buffer.byteLength(JSON.stringify(chunk))) > maxBytes);
  return over < 0 ? [...pieces] : pieces.slice(0, Math.max(over, 1));
}

function gathered(pieces: readonly Piece[]): ChunkBatch[] {
  const batches: ChunkBatch[] = [];
  for (const { epoch, index, chunk } of pieces) {
    const last = batches.at(-1);
    if (last && last.epoch === epoch && last.index + last.chunks.length === index) last.chunks.push(chunk);
    else batches.push({ epoch, index, chunks: [chunk] });
  }
  return batches;
}

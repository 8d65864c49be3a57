// What a reader is told of a run's logged chunks: what still counts, from a position on, a page at a time. Pure.
//
// A reader takes an answer as the whole truth from the position that it asked for up to the answer's end: what is not there in
// between does not count. So an answer ends with the last chunk that it covers, in that chunk's epoch, also where that chunk
// itself is left out; and a retract comes wherever it takes back something before the position that was asked for, even when a
// later one takes the retract itself back.
import type { ChunkBatch } from '@millrace/contracts';

export type Position = { epoch: number; index: number };
export type Visible = {
  batches: ChunkBatch[];
  /** Behind the last chunk that the answer covers; the position that was asked for where there is nothing. */
  end: Position;
  /** Nothing logged is behind `end`. */
  complete: boolean;
};

type Piece = Position & { chunk: ChunkBatch['chunks'][number] };

/** @param maxBytes of the chunks as JSON; a first chunk that is larger comes all the same */
export function visibleChunks(logged: readonly ChunkBatch[], from: Position, maxBytes: number): Visible {
  const pieces = distinct(logged.flatMap(piecesOf).toSorted(byPosition));
  const asked = pieces.filter((piece) => byPosition(piece, from) >= 0);
  const counting = new Set(countingOf(pieces));
  const told = asked.filter((piece) => (counting.has(piece) && !isRetract(piece)) || takesBackBefore(piece, from));
  const page = withinBytes(told, maxBytes);
  const complete = page.length === told.length;
  const last = complete ? asked.at(-1) : page.at(-1);
  return { batches: gathered(page), end: last ? behind(last) : from, complete };
}

const behind = ({ epoch, index }: Position): Position => ({ epoch, index: index + 1 });
const piecesOf = ({ epoch, index, chunks }: ChunkBatch): Piece[] =>
  chunks.map((chunk, at) => ({ epoch, index: index + at, chunk }));
const byPosition = (one: Position, other: Position) => one.epoch - other.epoch || one.index - other.index;

/** A message that was stored twice counts once. */
function distinct(sorted: readonly Piece[]): Piece[] {
  return sorted.filter((piece, at) => at === 0 || byPosition(piece, sorted[at - 1] ?? piece) !== 0);
}

/** Nothing that was retracted, nothing of an epoch from where a later one goes on. */
function countingOf(sorted: readonly Piece[]): Piece[] {
  const counting: Piece[] = [];
  let epoch = 0;
  for (const piece of sorted) {
    const floor = Math.min(piece.epoch > epoch ? piece.index : Infinity, retractedFrom(piece) ?? Infinity);
    // Indexes grow: what goes is at the end.
    while ((counting.at(-1)?.index ?? -1) >= floor) counting.pop();
    counting.push(piece);
    ({ epoch } = piece);
  }
  return counting;
}

const isRetract = (piece: Piece): boolean => retractedFrom(piece) !== undefined;
const takesBackBefore = (piece: Piece, { index }: Position): boolean => (retractedFrom(piece) ?? Infinity) < index;

function retractedFrom({ chunk }: Piece): number | undefined {
  if (chunk.type !== 'retract') return undefined;
  const payload: unknown = chunk['payload'];
  return typeof payload === 'object' && payload !== null && 'index' in payload ? Number(payload.index) : undefined;
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

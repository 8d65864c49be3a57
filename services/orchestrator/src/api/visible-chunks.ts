// What of a run's logged chunks still counts: nothing that was retracted, nothing of an epoch from where a later one goes on.
// Pure.
import type { ChunkBatch } from '@millrace/contracts';

type Position = { epoch: number; index: number };
type Piece = Position & { chunk: ChunkBatch['chunks'][number] };

/** Batches of what counts, from a position on, in order. A position of an earlier epoch starts where that epoch was left. */
export function visibleBatches(batches: readonly ChunkBatch[], from: Position): ChunkBatch[] {
  let pieces: Piece[] = [];
  let epoch = 0;
  for (const piece of batches.flatMap(piecesOf).toSorted(byPosition)) {
    if (pieces.some((known) => known.epoch === piece.epoch && known.index === piece.index)) continue;
    if (piece.epoch > epoch) {
      epoch = piece.epoch;
      pieces = pieces.filter((known) => known.index < piece.index);
    }
    const retracted = retractedFrom(piece);
    if (retracted !== undefined) pieces = pieces.filter((known) => known.index < retracted);
    pieces.push(piece);
  }
  // A reader that saw what was retracted must be told; one that asks from before it, or from the start, need not be.
  const wanted = pieces.filter((piece) => piece.index >= from.index || piece.epoch > from.epoch);
  return gathered(wanted.filter((piece) => needed(piece, from)));
}

/** A retract counts only for a reader who has something that it takes back. */
function needed(piece: Piece, from: Position): boolean {
  const retracted = retractedFrom(piece);
  return retracted === undefined || retracted < from.index;
}

const piecesOf = ({ epoch, index, chunks }: ChunkBatch): Piece[] =>
  chunks.map((chunk, at) => ({ epoch, index: index + at, chunk }));
const byPosition = (one: Piece, other: Piece) => one.epoch - other.epoch || one.index - other.index;

function retractedFrom({ chunk }: Piece): number | undefined {
  if (chunk.type !== 'retract') return undefined;
  const payload: unknown = chunk['payload'];
  return typeof payload === 'object' && payload !== null && 'index' in payload ? Number(payload.index) : undefined;
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

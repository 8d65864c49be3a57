// Selects the logged chunks of a run that still count, from a position on, page by page. Pure.
//
// A reader takes an answer as the complete truth from the requested position to the answer's end: missing chunks in
// between do not count. So an answer ends with the last chunk that it covers, in that chunk's epoch, even if that chunk
// itself is omitted; and it contains every retract of chunks before the requested position, even if a later one
// retracts the retract itself.
import {
  batchChunks,
  comparePositions,
  positionChunks,
  type ChunkBatch,
  type Owner,
  type Position,
  type PositionedItem,
} from '@millrace/contracts';

/** The position at which an owner's chunks begin. */
export type Base = Pick<Owner, 'epoch' | 'index'>;
/** Everything that retracts chunks: all retracts of the run, and the base of each owner. */
export type TakenBack = { retracts: readonly ChunkBatch[]; owners: readonly Base[] };
export type Visible = {
  batches: ChunkBatch[];
  /** After the last chunk that the answer covers; the requested position if there is none. */
  end: Position;
  /** Whether no given chunk is after `end`. */
  complete: boolean;
};

type VisiblePiece = PositionedItem<ChunkBatch['chunks'][number]>;

/**
 * @param logged messages of the log from `from` on, or the first part of them, with or without obsolete ones
 * @param maxBytes of the chunks as JSON; a larger first chunk is returned all the same
 */
export function selectVisibleChunks(
  logged: readonly ChunkBatch[],
  { retracts, owners }: TakenBack,
  from: Position,
  maxBytes: number,
): Visible {
  const asked = omitDuplicates(logged.flatMap(positionChunks).toSorted(comparePositions)).filter(
    (piece) => comparePositions(piece, from) >= 0,
  );
  const last = asked.at(-1);
  const takenBack = retracts.flatMap(positionChunks).filter(isRetract);
  const isRetracted = (piece: VisiblePiece) =>
    takenBack.some((by) => comparePositions(by, piece) > 0 && piece.index >= readRetractedFrom(by)) ||
    owners.some(({ epoch, index }) => epoch > piece.epoch && piece.index >= index);
  const isShown = (by: VisiblePiece) =>
    comparePositions(by, from) >= 0 &&
    last !== undefined &&
    comparePositions(by, last) <= 0 &&
    readRetractedFrom(by) < from.index;
  const counting = asked.filter((piece) => !isRetract(piece) && !isRetracted(piece));
  const shown = omitDuplicates([...counting, ...takenBack.filter(isShown)].toSorted(comparePositions));
  const page = cutToBytes(shown, maxBytes);
  const complete = page.length === shown.length;
  const covered = complete ? last : page.at(-1);
  return { batches: batchChunks(page), end: covered ? advancePosition(covered) : from, complete };
}

const advancePosition = ({ epoch, index }: Position): Position => ({ epoch, index: index + 1 });

/** Counts a message once that was stored twice. */
function omitDuplicates(sorted: readonly VisiblePiece[]): VisiblePiece[] {
  return sorted.filter((piece, at) => at === 0 || comparePositions(piece, sorted[at - 1] ?? piece) !== 0);
}

const isRetract = ({ chunk }: VisiblePiece): boolean => chunk.type === 'retract';

function readRetractedFrom({ chunk }: VisiblePiece): number {
  const payload: unknown = chunk['payload'];
  return typeof payload === 'object' && payload !== null && 'index' in payload ? Number(payload.index) : Infinity;
}

function cutToBytes(pieces: readonly VisiblePiece[], maxBytes: number): VisiblePiece[] {
  let bytes = 0;
  const over = pieces.findIndex(({ chunk }) => (bytes += Buffer.byteLength(JSON.stringify(chunk))) > maxBytes);
  return over < 0 ? [...pieces] : pieces.slice(0, Math.max(over, 1));
}

// The buffer of a model's stream: adjacent pieces of one part become one piece. Pure; the driver is gather-parts.ts.
//
//   empty    no piece waits
//   holding  one piece waits, and the next piece of its part is joined to it
//
// A part that is no such piece passes at once, behind the piece that waits. Pieces of two parts are never joined.
import type { ModelPart } from './prompt.ts';

/** UTF-16 code units of a joined piece. */
export const MAX_PIECE_CHARS = 16 * 1024;

type BufferedPiece = Extract<ModelPart, { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }>;

/** `passedKey`: of the piece that passed last. */
export type PieceBuffer =
  | { state: 'empty'; passedKey?: string | undefined }
  | { state: 'holding'; passedKey?: string | undefined; key: string; piece: BufferedPiece };
export type BufferEvent = { type: 'part'; part: ModelPart } | { type: 'flush' };
/** `passed`: the parts that leave the buffer, in order. */
export type BufferStep = { buffer: PieceBuffer; passed: readonly ModelPart[] };

export const EMPTY_BUFFER: PieceBuffer = { state: 'empty' };

export function reduceBuffer(buffer: PieceBuffer, event: BufferEvent): BufferStep {
  if (event.type === 'flush') return flushBuffer(buffer);
  const { part } = event;
  if (!isPiece(part)) {
    const { passed } = flushBuffer(buffer);
    return { buffer: EMPTY_BUFFER, passed: [...passed, part] };
  }
  const key = buildPieceKey(part);
  if (buffer.state === 'holding' && key === buffer.key && isShort(buffer.piece, part))
    return { buffer: { ...buffer, piece: { ...buffer.piece, delta: buffer.piece.delta + part.delta } }, passed: [] };
  const { passed, buffer: before } = flushBuffer(buffer);
  return { buffer: { state: 'holding', passedKey: before.passedKey, key, piece: part }, passed };
}

/** Whether all that the buffer holds may wait: the first piece of a part may not. */
export const mayWait = (buffer: PieceBuffer): boolean => buffer.state === 'holding' && buffer.key === buffer.passedKey;

function flushBuffer(buffer: PieceBuffer): BufferStep {
  if (buffer.state === 'empty') return { buffer, passed: [] };
  return { buffer: { state: 'empty', passedKey: buffer.key }, passed: [buffer.piece] };
}

const isShort = (held: BufferedPiece, piece: BufferedPiece): boolean =>
  held.delta.length + piece.delta.length <= MAX_PIECE_CHARS;

function isPiece(part: ModelPart): part is BufferedPiece {
  return part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-input-delta';
}

/** Pieces of one key differ in their text alone. */
function buildPieceKey({ type, id, providerMetadata }: BufferedPiece): string {
  return `${type} ${id} ${providerMetadata ? JSON.stringify(providerMetadata) : ''}`;
}

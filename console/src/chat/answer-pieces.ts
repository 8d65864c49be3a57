// Builds the visible pieces of a run from its valid chunks: texts, reasoning, calls, and marks of withdrawn text. Pure.
import type { Chunk, JsonValue } from '@millrace/contracts';
import type { ChunkHistory } from '../runs/chunk-history.ts';

type TextPiece = { kind: 'text' | 'reasoning'; key: string; text: string };
type CallPiece = {
  kind: 'call';
  key: string;
  callId: string;
  tool: string;
  args: JsonValue | undefined;
  state: 'running' | 'done' | 'error' | 'denied';
  result?: JsonValue | undefined;
  reason?: string;
};
type WithdrawnPiece = { kind: 'withdrawn'; key: string };
type SourcePiece = { kind: 'source'; key: string; title: string; url: string | undefined };
export type Piece = TextPiece | CallPiece | WithdrawnPiece | SourcePiece;

/** The last chunk of a run that ended otherwise than with an answer. */
export type Ending =
  | { kind: 'blocked'; reason: string; processor: string | undefined }
  | { kind: 'failed'; message: string }
  | { kind: 'cancelled' };

export type Answer = { pieces: Piece[]; ending: Ending | undefined };

export function buildAnswer({ chunks, withdrawn }: ChunkHistory): Answer {
  const pieces: Piece[] = [];
  const calls = new Map<string, CallPiece>();
  const marks = [...withdrawn];
  let ending: Ending | undefined;
  const place = (piece: Piece) => void pieces.push(piece);
  for (const { epoch, index, chunk } of chunks) {
    while (marks.length > 0 && (marks[0] ?? 0) <= index && isShown(chunk)) place(createMark(marks.shift()));
    addChunk({ chunk, key: `${epoch}.${index}`, pieces, calls, place });
    ending = readEnding(chunk) ?? ending;
  }
  for (const mark of marks) place(createMark(mark));
  return { pieces, ending };
}

const createMark = (index: number | undefined): WithdrawnPiece => ({
  kind: 'withdrawn',
  key: `withdrawn-${index ?? 0}`,
});

const isShown = ({ type }: Chunk): boolean =>
  type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call' || type === 'source';

type Adding = {
  chunk: Chunk;
  key: string;
  pieces: Piece[];
  calls: Map<string, CallPiece>;
  place: (piece: Piece) => void;
};

function addChunk({ chunk, key, pieces, calls, place }: Adding): void {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const kind = chunk.type === 'text-delta' ? 'text' : 'reasoning';
      const last = pieces.at(-1);
      if (last?.kind === kind) last.text += chunk.payload.text;
      else place({ kind, key, text: chunk.payload.text });
      return;
    }
    case 'tool-call': {
      const { toolCallId, toolName, args } = chunk.payload;
      const call: CallPiece = { kind: 'call', key, callId: toolCallId, tool: toolName, args, state: 'running' };
      calls.set(toolCallId, call);
      place(call);
      return;
    }
    case 'tool-result': {
      const { result, isError } = chunk.payload;
      settle(calls.get(chunk.payload.toolCallId), { state: isError === true ? 'error' : 'done', result });
      return;
    }
    case 'tool-error':
      settle(calls.get(chunk.payload.toolCallId), { state: 'error', result: chunk.payload.error });
      return;
    case 'tool-output-denied':
      settle(calls.get(chunk.payload.toolCallId), { state: 'denied', reason: chunk.payload.reason });
      return;
    case 'source': {
      const { title } = chunk.payload;
      const url = chunk.payload['url'];
      place({ kind: 'source', key, title, url: typeof url === 'string' && /^https?:/.test(url) ? url : undefined });
      return;
    }
    default:
  }
}

function settle(call: CallPiece | undefined, outcome: Partial<CallPiece>): void {
  if (call) Object.assign(call, outcome);
}

function readEnding(chunk: Chunk): Ending | undefined {
  switch (chunk.type) {
    case 'tripwire':
      return { kind: 'blocked', reason: chunk.payload.reason, processor: chunk.payload.processorId };
    case 'error':
      return { kind: 'failed', message: readMessage(chunk.payload.error) };
    case 'abort':
      return { kind: 'cancelled' };
    default:
      return undefined;
  }
}

/** An error is a coded error, or a text of an earlier version. */
function readMessage(error: JsonValue): string {
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null && !Array.isArray(error) && typeof error['message'] === 'string')
    return error['message'];
  return 'The run failed.';
}

/** Returns the text of an answer, as a copy of it holds it. */
export const readText = ({ pieces }: Answer): string =>
  pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : [])).join('\n\n');

// Converts a message to the chunks that represent it: for an unpublished answer that processors have changed. Pure.
import {
  isDataChunk,
  nameText,
  pickCall,
  readMessageText,
  listModelParts,
  readToolCalls,
  type Chunk,
  type ChunkOf,
  type Message,
  type MessagePart,
  type ToolInvocation,
} from '@millrace/contracts';
import { makeChunk, type ChunkBody } from './make-chunk.ts';

/**
 * Types of chunks around an answer, in addition to custom chunks. All other chunks of a step are part of the answer.
 */
const FRAME: ReadonlySet<string> = new Set([
  'step-start',
  'step-finish',
  'response-metadata',
  'tool-output',
  'tool-approval-request',
  'object-result',
  'resumed',
]);

export const isFrame = (part: Chunk): boolean => FRAME.has(part.type) || isDataChunk(part);

/** Returns the text that a client reads if it joins the pieces of the chunks. */
export const joinText = (chunks: readonly Chunk[]): string =>
  chunks.map((part) => (part.type === 'text-delta' ? part.payload.text : '')).join('');

export function makeMessageChunks(runId: string, message: Message): Chunk[] {
  return listModelParts(message).flatMap((part, at) =>
    toChunkBodies(part, `${message.id}.${at}`).map((body) => makeChunk(runId, body)),
  );
}

/** Returns the end of a step for a changed answer; undefined if the answer was removed. */
export function makeStepFinish(finish: ChunkOf<'step-finish'>, message: Message | undefined): ChunkOf<'step-finish'> {
  const texts = message
    ? { text: readMessageText(message), toolCalls: readToolCalls(message) }
    : { text: '', toolCalls: [] };
  return { ...finish, payload: { ...finish.payload, output: { ...finish.payload.output, ...texts } } };
}

function toChunkBodies(part: MessagePart, id: string): ChunkBody[] {
  switch (part.type) {
    case 'text':
      if (part.text === '') return [];
      return [
        { type: 'text-start', payload: { id } },
        { type: 'text-delta', payload: { id, text: part.text } },
        { type: 'text-end', payload: { id } },
      ];
    case 'reasoning':
      return [
        { type: 'reasoning-start', payload: { id } },
        { type: 'reasoning-delta', payload: { id, text: part.reasoning } },
        { type: 'reasoning-end', payload: { id, providerMetadata: part.providerMetadata } },
      ];
    case 'tool-invocation': {
      const own = part['providerExecuted'] === true ? { providerExecuted: true } : {};
      return [
        { type: 'tool-call', payload: { ...pickCall(part.toolInvocation), ...own } },
        ...makeResultBody(part.toolInvocation, own),
      ];
    }
    case 'file':
      return [{ type: 'file', payload: { data: part.data, mimeType: part.mimeType } }];
    case 'source':
      return [{ type: 'source', payload: { id, sourceType: 'url', title: '', ...part.source } }];
    default:
      return [];
  }
}

function makeResultBody(
  { state, result = null, resultText, isError, denied, ...call }: ToolInvocation,
  own: object,
): ChunkBody[] {
  if (state !== 'result') return [];
  const { toolCallId, toolName } = call;
  const head = pickCall(call);
  if (denied)
    return [{ type: 'tool-output-denied', payload: { toolCallId, toolName, reason: 'Denied.', ...asMembers(result) } }];
  if (isError === true)
    return [{ type: 'tool-error', payload: { ...head, error: result, ...nameText('error', resultText) } }];
  return [{ type: 'tool-result', payload: { ...head, result, ...nameText('result', resultText), ...own } }];
}

const asMembers = (value: unknown): object => (typeof value === 'object' && value !== null ? { ...value } : {});

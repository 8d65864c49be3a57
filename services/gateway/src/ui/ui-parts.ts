// Describes single chunks as events of the UI message stream. Tools are dynamic: the client has no definition of them.
import { isDataChunk, isObject, type Chunk, type ChunkOf, type JsonValue } from '@millrace/contracts';
import { toFileUrl } from '../agents/file-part.ts';
import { withJsonText } from '../http/json-texts.ts';

export type UiEvent = { type: string; [member: string]: unknown };

/** Returns undefined for chunks without a form in the protocol. */
export function describePart(runId: string, chunk: Chunk): UiEvent | undefined {
  if (isDataChunk(chunk)) return describeData(chunk);
  switch (chunk.type) {
    case 'start':
      return { type: 'start', messageId: `msg_${runId}`, messageMetadata: { runId } };
    case 'step-finish':
      return { type: 'finish-step' };
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return { type: chunk.type, id: chunk.payload.id };
    case 'text-delta':
    case 'reasoning-delta':
      return { type: chunk.type, id: chunk.payload.id, delta: chunk.payload.text };
    case 'source':
      return describeSource(chunk);
    case 'file':
      return { type: 'file', url: toFileUrl(chunk.payload), mediaType: chunk.payload.mimeType };
    case 'reasoning-file':
      return { type: 'reasoning-file', url: toFileUrl(chunk.payload), mediaType: chunk.payload.mimeType };
    case 'object':
    case 'object-result':
      return { type: 'data-object', id: 'object', data: chunk.object };
    default:
      return describeTool(chunk);
  }
}

/** A page does not execute the tools of the agent: its own calls have an event of their own when the run waits for them. */
function describeTool(chunk: Chunk): UiEvent | undefined {
  if (isClientChunk(chunk)) return undefined;
  const event = describeOwnTool(chunk);
  return event && (event.type === 'tool-input-delta' ? event : { ...event, providerExecuted: true });
}

function isClientChunk(chunk: Chunk): boolean {
  const payload: unknown = 'payload' in chunk ? chunk.payload : undefined;
  return isObject(payload) && payload['clientTool'] === true;
}

/** Shows a call of the page with its result, when the page reads the run again. No page executes it again. */
export function describeClientResult(chunk: Chunk): UiEvent[] {
  if (chunk.type !== 'tool-result' && chunk.type !== 'tool-error' && chunk.type !== 'tool-output-denied') return [];
  if (!isClientChunk(chunk)) return [];
  const { toolCallId, toolName } = chunk.payload;
  const input = chunk.type === 'tool-output-denied' ? null : readInput(chunk.payload);
  const call = { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true, providerExecuted: true };
  const outcome = describeOwnTool(chunk);
  return outcome ? [call, { ...outcome, providerExecuted: true }] : [];
}

function describeOwnTool(chunk: Chunk): UiEvent | undefined {
  switch (chunk.type) {
    case 'tool-call-input-streaming-start':
      return { type: 'tool-input-start', ...pickCall(chunk), dynamic: true };
    case 'tool-call-delta':
      return {
        type: 'tool-input-delta',
        toolCallId: chunk.payload.toolCallId,
        inputTextDelta: chunk.payload.argsTextDelta,
      };
    case 'tool-call':
      return { type: 'tool-input-available', ...pickCall(chunk), input: readInput(chunk.payload), dynamic: true };
    case 'tool-result':
      return describeResult(chunk);
    case 'tool-error':
      return describeToolError(chunk.payload.toolCallId, chunk.payload.error);
    case 'tool-output-denied':
      return { type: 'tool-output-denied', toolCallId: chunk.payload.toolCallId };
    default:
      return undefined;
  }
}

const readInput = ({
  args = null,
  argsText,
}: {
  args?: JsonValue | undefined;
  argsText?: string | undefined;
}): unknown => withJsonText(args, argsText, 'input');

type CallChunk = ChunkOf<'tool-call' | 'tool-call-input-streaming-start'>;
const pickCall = ({ payload: { toolCallId, toolName } }: CallChunk) => ({ toolCallId, toolName });

function describeResult({ payload }: ChunkOf<'tool-result'>): UiEvent {
  const { toolCallId, result, resultText, isError } = payload;
  if (isError === true) return describeToolError(toolCallId, result);
  return {
    type: 'tool-output-available',
    toolCallId,
    output: withJsonText(result, resultText, 'output'),
    dynamic: true,
    ...(payload['preliminary'] === true && { preliminary: true }),
  };
}

const describeToolError = (toolCallId: string, error: unknown): UiEvent => ({
  type: 'tool-output-error',
  toolCallId,
  errorText: typeof error === 'string' ? error : (readMember(error, 'message') ?? JSON.stringify(error)),
  dynamic: true,
});

function describeSource({ payload }: ChunkOf<'source'>): UiEvent {
  const { id, sourceType, title } = payload;
  const { url, mimeType, filename } = payload;
  if (sourceType === 'url') return { type: 'source-url', sourceId: id, url: typeof url === 'string' ? url : '', title };
  return {
    type: 'source-document',
    sourceId: id,
    mediaType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream',
    title,
    ...(typeof filename === 'string' && { filename }),
  };
}

function describeData(chunk: Chunk): UiEvent | undefined {
  const { type, id, data, transient } = { id: undefined, data: undefined, transient: undefined, ...chunk };
  return {
    type,
    ...(typeof id === 'string' && { id }),
    data: data ?? readData(chunk),
    ...(transient === true && { transient }),
  };
}

const readData = (chunk: object): unknown => ('payload' in chunk ? chunk.payload : null);

function readMember(value: unknown, name: string): string | undefined {
  const own =
    typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
  return typeof own === 'string' ? own : undefined;
}

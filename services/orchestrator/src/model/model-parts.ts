// What the provider streams, as chunks. Parts that are not chunks (warnings, the finish) are what the step needs to know.
import type { Chunk, JsonValue, Usage } from '@millrace/contracts';
import { chunk, type ChunkBody } from '../state/make-chunk.ts';
import type { LanguageModel } from './prompt.ts';

type StreamResult = Awaited<ReturnType<LanguageModel['doStream']>>;
export type ModelPart = StreamResult['stream'] extends ReadableStream<infer P> ? P : never;
type Finish = Extract<ModelPart, { type: 'finish' }>;

export type ChunkMaker = (part: ModelPart) => Chunk[];

export function createChunkMaker(runId: string): ChunkMaker {
  const toolNames = new Map<string, string>();
  return (part) => {
    if (part.type === 'tool-input-start') toolNames.set(part.id, part.toolName);
    const body = bodyOf(part, toolNames);
    return body ? [chunk(runId, body)] : [];
  };
}

function bodyOf(part: ModelPart, toolNames: Map<string, string>): ChunkBody | undefined {
  switch (part.type) {
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return { type: part.type, payload: { id: part.id, ...metadata(part) } };
    case 'text-delta':
    case 'reasoning-delta':
      return { type: part.type, payload: { id: part.id, text: part.delta, ...metadata(part) } };
    case 'tool-input-start':
      return {
        type: 'tool-call-input-streaming-start',
        payload: { toolCallId: part.id, toolName: part.toolName, ...metadata(part) },
      };
    case 'tool-input-delta': {
      const toolName = toolNames.get(part.id);
      return {
        type: 'tool-call-delta',
        payload: { toolCallId: part.id, argsTextDelta: part.delta, ...(toolName && { toolName }) },
      };
    }
    case 'tool-input-end':
      return { type: 'tool-call-input-streaming-end', payload: { toolCallId: part.id } };
    case 'tool-call': {
      const { toolCallId, toolName, input, providerExecuted } = part;
      return {
        type: 'tool-call',
        payload: { toolCallId, toolName, args: parseArgs(input), ...(providerExecuted && { providerExecuted }) },
      };
    }
    case 'tool-result': {
      const { toolCallId, toolName, result, isError } = part;
      return {
        type: 'tool-result',
        payload: { toolCallId, toolName, result, providerExecuted: true, ...(isError && { isError }) },
      };
    }
    case 'source': {
      const { id, sourceType, title = '' } = part;
      const more =
        part.sourceType === 'url' ? { url: part.url } : { mimeType: part.mediaType, filename: part.filename };
      return { type: 'source', payload: { id, sourceType, title, ...more } };
    }
    case 'file': {
      const { mediaType, data } = part;
      return { type: 'file', payload: { mimeType: mediaType, data: fileData(data) } };
    }
    case 'response-metadata': {
      const { id, modelId, timestamp } = part;
      return { type: 'response-metadata', payload: { id, modelId, timestamp: timestamp?.toISOString() } };
    }
    default:
      return undefined;
  }
}

function metadata({ providerMetadata }: { providerMetadata?: unknown }): object {
  return providerMetadata === undefined ? {} : { providerMetadata };
}

/** Arguments that are not JSON stay text: the tool's schema refuses them, and the model is told. */
function parseArgs(input: string): JsonValue {
  try {
    return input.trim() === '' ? {} : JSON.parse(input);
  } catch {
    return input;
  }
}

/** Bytes travel as base64. */
function fileData(data: unknown): string {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  if (inner instanceof Uint8Array) return Buffer.from(inner).toString('base64');
  if (typeof data === 'object' && data !== null && 'url' in data) return String(data.url);
  return String(inner);
}

export function usageOf({ usage }: Finish): Usage {
  const { inputTokens, outputTokens } = usage;
  const total = (inputTokens.total ?? 0) + (outputTokens.total ?? 0);
  return {
    ...(inputTokens.total !== undefined && { inputTokens: inputTokens.total }),
    ...(outputTokens.total !== undefined && { outputTokens: outputTokens.total }),
    ...(total > 0 && { totalTokens: total }),
    ...(outputTokens.reasoning !== undefined && { reasoningTokens: outputTokens.reasoning }),
    ...(inputTokens.cacheRead !== undefined && { cachedInputTokens: inputTokens.cacheRead }),
  };
}

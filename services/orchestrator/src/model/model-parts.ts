// Converts the provider's stream to chunks. Other parts (warnings, the finish) carry data for the step.
import {
  hasIdFormat,
  isObject,
  MAX_VALUE_NESTING,
  MillraceError,
  isNestedDeeper,
  nameText,
  readWithText,
  type Chunk,
  type ChunkOf,
  type Usage,
} from '@millrace/contracts';
import { makeChunk, type ChunkBody } from '../transcript/make-chunk.ts';
import { createCallNamer } from './call-ids.ts';
import type { ModelPart } from './prompt.ts';
import { filterMetadata, readProviderMetadata, replaceOddIds, type ProviderMetadata } from './provider-values.ts';
import { createReasoningSealer, isSigned, readItem } from './reasoning-seal.ts';

type FinishPart = Extract<ModelPart, { type: 'finish' }>;

export type ChunkMaker = (part: ModelPart) => Chunk[];

/**
 * @param raw whether the provider's raw events are passed on as well. The maker throws model-call-failed for a part
 * that no message can hold
 * @param callIds ids of the calls of earlier answers
 * @param modelId seals the signed reasoning of the model
 */
export function createChunkMaker(runId: string, raw = false, callIds?: ReadonlySet<string>, modelId = ''): ChunkMaker {
  const toolNames = new Map<string, string>();
  const nameCall = createCallNamer(callIds);
  const sealPart = createPartSealer(modelId);
  return (sent) => {
    const part = nameCall(sent);
    // A name of another form is text: a guard judges it in the start and in the call, but not in each piece.
    if (part.type === 'tool-input-start' && hasIdFormat(part.toolName)) toolNames.set(part.id, part.toolName);
    const body = part.type === 'raw' && !raw ? undefined : toChunkBody(part, toolNames);
    if (!body) return [];
    const metadata = sealPart(part, readProviderMetadata('providerMetadata' in part ? part : {}));
    const payload = { ...body.payload, ...metadata };
    const made = makeChunk(runId, { ...body, payload: part.type === 'raw' ? payload : replaceOddIds(payload) });
    if (isNestedDeeper(made, MAX_VALUE_NESTING)) throw createTooDeepError(made);
    return [made];
  };
}

type Metadata = { providerMetadata?: ProviderMetadata };

/** Returns a function that adds a seal to the metadata of a reasoning that ends, and returns other metadata unchanged. */
function createPartSealer(modelId: string): (part: ModelPart, metadata: Metadata) => Metadata {
  const sealer = createReasoningSealer(modelId);
  /** Anthropic and Google sign a part before its end. */
  const signed = new Map<string, ProviderMetadata>();
  return (part, metadata) => {
    if (part.type !== 'reasoning-start' && part.type !== 'reasoning-delta' && part.type !== 'reasoning-end')
      return metadata;
    const item = readItem(metadata.providerMetadata, part.id);
    if (part.type === 'reasoning-delta') sealer.addText(part.id, item, part.delta);
    if (part.type !== 'reasoning-end') {
      if (isSigned(metadata.providerMetadata)) signed.set(part.id, metadata.providerMetadata);
      return metadata;
    }
    const sealed = sealer.seal(item, metadata.providerMetadata ?? signed.get(part.id));
    signed.delete(part.id);
    return sealed ? { providerMetadata: sealed } : metadata;
  };
}

function createTooDeepError({ type }: Chunk): MillraceError {
  return new MillraceError(
    'model-call-failed',
    `A "${type}" part of the model is nested deeper than ${MAX_VALUE_NESTING}.`,
  );
}

function toChunkBody(part: ModelPart, toolNames: Map<string, string>): ChunkBody | undefined {
  switch (part.type) {
    case 'text-start':
      return { type: part.type, payload: { id: part.id } };
    case 'text-end': {
      const { id, citations } = part;
      return { type: part.type, payload: { id, ...(citations && { citations }) } };
    }
    case 'reasoning-start':
    case 'reasoning-end':
      return { type: part.type, payload: { id: part.id, ...readSignature(part) } };
    case 'text-delta':
    case 'reasoning-delta':
      return { type: part.type, payload: { id: part.id, text: part.delta } };
    case 'tool-input-start': {
      const { id, toolName, providerExecuted, dynamic, inputEncoding } = part;
      return {
        type: 'tool-call-input-streaming-start',
        payload: {
          toolCallId: id,
          toolName,
          ...(providerExecuted && { providerExecuted }),
          ...(dynamic && { dynamic }),
          ...(inputEncoding === 'text' && { inputEncoding }),
        },
      };
    }
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
      const { toolCallId, toolName, input, providerExecuted, dynamic } = part;
      const more = { ...(providerExecuted && { providerExecuted }), ...(dynamic && { dynamic }) };
      return { type: 'tool-call', payload: { toolCallId, toolName, ...parseArgs(input), ...more } };
    }
    case 'tool-result':
      return { type: part.type, payload: buildResultPayload(part) };
    case 'source': {
      const { id, sourceType, title = '' } = part;
      const more =
        part.sourceType === 'url' ? { url: part.url } : { mimeType: part.mediaType, filename: part.filename };
      return { type: 'source', payload: { id, sourceType, title, ...more } };
    }
    case 'file':
    case 'reasoning-file': {
      const { mediaType, data } = part;
      return { type: part.type, payload: { mimeType: mediaType, data: encodeFileData(data) } };
    }
    case 'response-metadata': {
      const { id, modelId, timestamp } = part;
      return { type: 'response-metadata', payload: { id, modelId, timestamp: timestamp?.toISOString() } };
    }
    case 'custom':
      return { type: part.type, payload: { kind: part.kind } };
    case 'tool-approval-request':
      // Passed but never acted on: the provider runs these tools itself, so the orchestrator cannot approve them.
      return { type: part.type, payload: { approvalId: part.approvalId, toolCallId: part.toolCallId } };
    case 'raw':
      return { type: part.type, payload: toRawPayload(part.rawValue) };
    default:
      return undefined;
  }
}

function buildResultPayload(part: Extract<ModelPart, { type: 'tool-result' }>) {
  const { toolCallId, toolName, result, isError, preliminary, dynamic } = part;
  return {
    toolCallId,
    toolName,
    result,
    providerExecuted: true,
    ...(isError && { isError }),
    ...(preliminary && { preliminary }),
    ...(dynamic && { dynamic }),
  };
}

/** Returns the provider's signature of its reasoning, under any of its names. */
function readSignature(part: { providerMetadata?: unknown }): { signature?: string } {
  const signature = Object.values(filterMetadata(part.providerMetadata) ?? {})
    .map(({ signature: signed, reasoningEncryptedContent: sealed }) => signed ?? sealed)
    .find((one) => typeof one === 'string');
  return typeof signature === 'string' ? { signature } : {};
}

function toRawPayload(value: unknown): object {
  return isObject(value) ? value : { value };
}

/**
 * Arguments that are not JSON, or that no message may carry, stay text: the tool's schema refuses them, and the model
 * receives the error.
 */
function parseArgs(input: string): Pick<ChunkOf<'tool-call'>['payload'], 'args' | 'argsText'> {
  if (input.trim() === '') return { args: {} };
  const { value, text } = readWithText(input);
  return { args: value, ...nameText('args', text) };
}

/** Encodes bytes as base64. */
function encodeFileData(data: unknown): string {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  if (inner instanceof Uint8Array) return Buffer.from(inner).toString('base64');
  if (typeof data === 'object' && data !== null && 'url' in data) return String(data.url);
  return String(inner);
}

export function readUsage({ usage }: FinishPart): Usage {
  const [input, output] = [readCount(usage.inputTokens.total), readCount(usage.outputTokens.total)];
  const [reasoning, cached] = [readCount(usage.outputTokens.reasoning), readCount(usage.inputTokens.cacheRead)];
  const total = (input ?? 0) + (output ?? 0);
  return {
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
    ...(total > 0 && { totalTokens: total }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(cached !== undefined && { cachedInputTokens: cached }),
  };
}

/** An invalid count would make a sum that no record holds, or reduce the run's cost. */
const readCount = (tokens: number | undefined): number | undefined =>
  Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? tokens : undefined;

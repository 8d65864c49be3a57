// A chunk is one element of a run's stream. The shapes are those of the reference interface; `retract`, `suspended` and
// `resumed` are ours. Known types are checked, unknown ones pass unchanged. Every chunk has type, runId and from.
import { z } from 'zod';
import { jsonValueSchema } from './json.ts';
import { withShortcut } from './json-fit.ts';
import { resumeTokenSchema, shownPendingSchema } from './suspension.ts';
import { typed } from './typed-schema.ts';

export const chunkFromSchema = z.enum(['AGENT', 'USER', 'SYSTEM', 'WORKFLOW']);

const metadata = { providerMetadata: z.unknown().optional() };
/** false: the part was cut off (cancel, deadline, error, length): what a processor holds back undecided is dropped. */
const ended = { complete: z.boolean().optional() };
const base = { runId: z.string(), from: chunkFromSchema };

function chunkOf<T extends string, P extends z.ZodRawShape>(type: T, payload: P) {
  return z.looseObject({ type: z.literal(type), ...base, payload: z.looseObject(payload) });
}

const toolCallId = z.string();
const toolName = z.string();
const anyValue = jsonValueSchema.optional();

/** The last chunk of a run that went well. */
export const finishChunkSchema = chunkOf('finish', {
  stepResult: z.looseObject({ reason: z.string() }),
  output: z.looseObject({}),
  messages: z.array(z.unknown()),
});

export const knownChunkSchema = z.discriminatedUnion('type', [
  chunkOf('text-start', { id: z.string(), ...metadata }),
  chunkOf('text-delta', { id: z.string(), text: z.string(), ...metadata }),
  chunkOf('text-end', { id: z.string(), ...ended, ...metadata }),
  chunkOf('reasoning-start', { id: z.string(), signature: z.string().optional(), ...metadata }),
  chunkOf('reasoning-delta', { id: z.string(), text: z.string(), ...metadata }),
  chunkOf('reasoning-end', { id: z.string(), signature: z.string().optional(), ...ended, ...metadata }),
  chunkOf('reasoning-signature', { id: z.string(), signature: z.string(), ...metadata }),
  chunkOf('redacted-reasoning', {}),
  chunkOf('reasoning-file', { data: z.string(), mimeType: z.string(), ...metadata }),
  chunkOf('tool-call', { toolCallId, toolName, args: anyValue, providerExecuted: z.boolean().optional(), ...metadata }),
  chunkOf('tool-result', {
    toolCallId,
    toolName,
    result: jsonValueSchema,
    isError: z.boolean().optional(),
    args: anyValue,
    providerExecuted: z.boolean().optional(),
    ...metadata,
  }),
  chunkOf('tool-call-input-streaming-start', {
    toolCallId,
    toolName,
    providerExecuted: z.boolean().optional(),
    dynamic: z.boolean().optional(),
    ...metadata,
  }),
  chunkOf('tool-call-delta', { toolCallId, argsTextDelta: z.string(), toolName: toolName.optional(), ...metadata }),
  chunkOf('tool-call-input-streaming-end', { toolCallId, ...ended, ...metadata }),
  chunkOf('tool-error', { toolCallId, toolName, args: anyValue, error: jsonValueSchema }),
  chunkOf('tool-output', { output: jsonValueSchema }),
  chunkOf('step-output', { output: jsonValueSchema }),
  chunkOf('tool-approval-request', { approvalId: z.string(), toolCallId, ...metadata }),
  chunkOf('tool-call-approval', {}),
  chunkOf('tool-call-suspended', {}),
  chunkOf('tool-output-denied', { toolCallId, toolName, reason: z.string(), code: z.string().optional() }),
  chunkOf('source', { id: z.string(), sourceType: z.enum(['url', 'document']), title: z.string(), ...metadata }),
  chunkOf('file', { data: z.string(), mimeType: z.string(), ...metadata }),
  chunkOf('start', {}),
  chunkOf('step-start', { messageId: z.string().optional(), warnings: z.array(z.unknown()).optional() }),
  chunkOf('step-finish', { stepResult: z.looseObject({ reason: z.string() }), output: z.looseObject({}) }),
  finishChunkSchema,
  chunkOf('error', { error: jsonValueSchema }),
  chunkOf('abort', {}),
  chunkOf('tripwire', {
    reason: z.string(),
    retry: z.boolean().optional(),
    metadata: anyValue,
    processorId: z.string().optional(),
  }),
  chunkOf('response-metadata', {}),
  chunkOf('raw', {}),
  chunkOf('watch', {}),
  chunkOf('custom', { kind: z.string(), ...metadata }),
  chunkOf('is-task-complete', {}),
  z.looseObject({ type: z.literal('object'), ...base, object: jsonValueSchema }),
  z.looseObject({ type: z.literal('object-result'), ...base, object: jsonValueSchema }),
  chunkOf('retract', { index: z.number().int().min(0).describe('the first index that no longer counts') }),
  chunkOf('suspended', {
    payload: anyValue.describe('what is asked first'),
    resumeToken: resumeTokenSchema.optional().describe('where that is the caller’s own question'),
    expiresAt: z.string(),
    pending: z.array(shownPendingSchema).optional().describe('all that is asked'),
  }),
  chunkOf('resumed', { settled: z.array(z.string()).optional().describe('ids of what was answered') }),
]);

export const CHUNK_TYPES: readonly string[] = knownChunkSchema.options.map((option) => option.shape.type.value);

const otherChunkSchema = z.looseObject({
  type: z.string().regex(new RegExp(`^(?!(${CHUNK_TYPES.join('|')})$)`), {
    message: 'a chunk of this type has another shape',
    // Without it zod would tell a known chunk with a wrong payload that its type is wrong.
    abort: true,
  }),
  ...base,
});

export type KnownChunk = z.infer<typeof knownChunkSchema>;
export type ChunkOf<T extends KnownChunk['type']> = Extract<KnownChunk, { type: T }>;
/** Known chunks, typed; chunks of other types are carried along unchanged. */
export type Chunk = KnownChunk;

const froms: ReadonlySet<unknown> = new Set(chunkFromSchema.options);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A piece of text as models send them: most of what there is to check. */
export function isPlainDelta(value: unknown): value is ChunkOf<'text-delta' | 'reasoning-delta'> {
  if (!isRecord(value) || (value['type'] !== 'text-delta' && value['type'] !== 'reasoning-delta')) return false;
  const { payload, runId, from } = value;
  if (typeof runId !== 'string' || !froms.has(from) || !isRecord(payload)) return false;
  return typeof payload['id'] === 'string' && typeof payload['text'] === 'string';
}

/** Known types first: the stream path is made of them, and they match at the first look. */
export const chunkSchema = withShortcut(typed<Chunk>(z.union([knownChunkSchema, otherChunkSchema])), isPlainDelta);

/** Chunks that do not pass the processOutputStream chain. See docs/semantics.md. */
const unchained = new Set(['start', 'abort', 'tripwire', 'retract', 'suspended', 'resumed', 'object']);
/** Chunks that a processor may change but not drop. */
const undroppable = new Set(['finish', 'error', 'tripwire']);

export const passesChain = (chunk: { type: string }): boolean => !unchained.has(chunk.type);
export const mayBeDropped = (chunk: { type: string }): boolean => !undroppable.has(chunk.type);
export const isDataChunk = (chunk: { type: string }): boolean => chunk.type.startsWith('data-');

/** The last chunk of a run is one of these. */
const endings = new Set(['finish', 'tripwire', 'error', 'abort', 'suspended']);
export const endsRun = (chunk: { type: string }): boolean => endings.has(chunk.type);

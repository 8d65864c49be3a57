// A chunk is one element of a run's stream. The shapes are those of the reference interface; `retract`, `suspended` and
// `resumed` are ours. Known types are checked, unknown ones pass unchanged. Every chunk has type, runId and from.
import { z } from 'zod';
import { errorCodeSchema } from '../base/errors.ts';
import { isObject, jsonTextSchema, jsonValueSchema } from '../base/json.ts';
import { withShortcut } from '../base/json-fit.ts';
import { resumeTokenSchema, settledCallSchema, shownPendingSchema } from './suspension.ts';
import { castSchema } from '../base/typed-schema.ts';

export const chunkFromSchema = z.enum(['AGENT', 'USER', 'SYSTEM', 'WORKFLOW']);

const metadata = { providerMetadata: z.unknown().optional() };
/** false: the part was cut off (cancel, deadline, error, length); processors drop the text that they hold back. */
const ended = { complete: z.boolean().optional() };
const base = { runId: z.string(), from: chunkFromSchema };

function defineChunk<T extends string, P extends z.ZodRawShape>(type: T, payload: P) {
  return z.looseObject({ type: z.literal(type), ...base, payload: z.looseObject(payload) });
}

const toolCallId = z.string();
const toolName = z.string();
const anyValue = jsonValueSchema.optional();
/** Set by the orchestrator. `clientTool`: the caller executes the call. */
const ofTool = {
  clientTool: z.boolean().optional(),
  unknownTool: z.boolean().optional().describe('the run has no tool of this name: guards judge the name as text'),
};

/** Last chunk of a successful run. */
export const finishChunkSchema = defineChunk('finish', {
  stepResult: z.looseObject({ reason: z.string() }),
  output: z.looseObject({}),
  messages: z.array(z.unknown()),
});

export const knownChunkSchema = z.discriminatedUnion('type', [
  defineChunk('text-start', { id: z.string(), ...metadata }),
  defineChunk('text-delta', { id: z.string(), text: z.string(), ...metadata }),
  defineChunk('text-end', { id: z.string(), ...ended, ...metadata }),
  defineChunk('reasoning-start', { id: z.string(), signature: z.string().optional(), ...metadata }),
  defineChunk('reasoning-delta', { id: z.string(), text: z.string(), ...metadata }),
  defineChunk('reasoning-end', { id: z.string(), signature: z.string().optional(), ...ended, ...metadata }),
  defineChunk('reasoning-signature', { id: z.string(), signature: z.string(), ...metadata }),
  defineChunk('redacted-reasoning', {}),
  defineChunk('reasoning-file', { data: z.string(), mimeType: z.string(), ...metadata }),
  defineChunk('tool-call', {
    toolCallId,
    toolName,
    args: anyValue,
    argsText: jsonTextSchema,
    providerExecuted: z.boolean().optional(),
    ...ofTool,
    ...metadata,
  }),
  defineChunk('tool-result', {
    toolCallId,
    toolName,
    result: jsonValueSchema,
    resultText: jsonTextSchema,
    isError: z.boolean().optional(),
    args: anyValue,
    argsText: jsonTextSchema,
    providerExecuted: z.boolean().optional(),
    ...ofTool,
    ...metadata,
  }),
  defineChunk('tool-call-input-streaming-start', {
    toolCallId,
    toolName,
    providerExecuted: z.boolean().optional(),
    dynamic: z.boolean().optional(),
    ...ofTool,
    ...metadata,
  }),
  defineChunk('tool-call-delta', { toolCallId, argsTextDelta: z.string(), toolName: toolName.optional(), ...metadata }),
  defineChunk('tool-call-input-streaming-end', { toolCallId, ...ended, ...metadata }),
  defineChunk('tool-error', {
    toolCallId,
    toolName,
    args: anyValue,
    argsText: jsonTextSchema,
    error: jsonValueSchema,
    errorText: jsonTextSchema,
    ...ofTool,
  }),
  defineChunk('tool-output', { output: jsonValueSchema }),
  defineChunk('step-output', { output: jsonValueSchema }),
  defineChunk('tool-approval-request', { approvalId: z.string(), toolCallId, ...metadata }),
  defineChunk('tool-call-approval', {}),
  defineChunk('tool-call-suspended', {}),
  defineChunk('tool-output-denied', {
    toolCallId,
    toolName,
    reason: z.string(),
    code: z.string().optional(),
    ...ofTool,
  }),
  defineChunk('source', { id: z.string(), sourceType: z.enum(['url', 'document']), title: z.string(), ...metadata }),
  defineChunk('file', { data: z.string(), mimeType: z.string(), ...metadata }),
  defineChunk('start', {}),
  defineChunk('step-start', { messageId: z.string().optional(), warnings: z.array(z.unknown()).optional() }),
  defineChunk('step-finish', { stepResult: z.looseObject({ reason: z.string() }), output: z.looseObject({}) }),
  finishChunkSchema,
  defineChunk('error', { error: jsonValueSchema }),
  defineChunk('abort', {}),
  defineChunk('tripwire', {
    reason: z.string(),
    retry: z.boolean().optional(),
    metadata: anyValue,
    processorId: z.string().optional(),
  }),
  defineChunk('response-metadata', {}),
  defineChunk('raw', {}),
  defineChunk('watch', {}),
  defineChunk('custom', { kind: z.string(), ...metadata }),
  defineChunk('is-task-complete', {}),
  z.looseObject({ type: z.literal('object'), ...base, object: jsonValueSchema }),
  z.looseObject({ type: z.literal('object-result'), ...base, object: jsonValueSchema }),
  defineChunk('retract', {
    index: z.number().int().min(0).describe('the first retracted index'),
    code: errorCodeSchema.optional().describe('of the failed model call whose text is retracted'),
  }),
  defineChunk('suspended', {
    payload: anyValue.describe('payload of the first pending item'),
    resumeToken: resumeTokenSchema.optional().describe('token of a question for the caller'),
    expiresAt: z.string(),
    pending: z.array(shownPendingSchema).optional().describe('all pending items'),
  }),
  defineChunk('resumed', {
    settled: z.array(z.string()).optional().describe('ids of the answered items'),
    clientCalls: z
      .array(settledCallSchema)
      .optional()
      .describe('the answered items that are calls of the caller’s tools: a later follower sees no `suspended`'),
  }),
]);

export const CHUNK_TYPES: readonly string[] = knownChunkSchema.options.map((option) => option.shape.type.value);
const knownTypes: ReadonlySet<string> = new Set(CHUNK_TYPES);

/** Names of the members of all known types. */
export const CHUNK_MEMBERS: readonly string[] = knownChunkSchema.options.flatMap(({ shape }) =>
  Object.keys('payload' in shape ? shape.payload.shape : shape),
);

/** Guards do not judge types, so a type has no room for text. */
const OTHER_TYPE = /^(?:data-[\w.-]{1,64}|(?!data-)[\w.:/-]{1,64})$/;
const OTHER_TYPE_FORM =
  'a type has 1 to 64 characters of A-Z, a-z, 0-9, "_", ".", "-", ":" and "/", a type that begins with "data-" has 1 to 64 without ":" and "/" after it';

const otherTypeSchema = z.string().regex(new RegExp(`^(?!(${CHUNK_TYPES.join('|')})$)`), {
  message: 'the chunk does not match the shape of its type',
  // Without `abort` zod would report the type of a known chunk with an invalid payload as wrong.
  abort: true,
});
const otherChunkSchema = z.looseObject({ type: otherTypeSchema.regex(OTHER_TYPE, OTHER_TYPE_FORM), ...base });
const storedOtherSchema = z.looseObject({ type: otherTypeSchema, ...base });

/** Returns the problem of a type that is not known, if it has one. */
export const findTypeProblem = (type: string): string | undefined =>
  knownTypes.has(type) || OTHER_TYPE.test(type) ? undefined : OTHER_TYPE_FORM;

export type KnownChunk = z.infer<typeof knownChunkSchema>;
export type ChunkOf<T extends KnownChunk['type']> = Extract<KnownChunk, { type: T }>;
/** Known chunks, typed; chunks of other types are carried along unchanged. */
export type Chunk = KnownChunk;

const froms: ReadonlySet<unknown> = new Set(chunkFromSchema.options);

/** Matches a text delta as models send them, the most frequent chunk. */
export function isPlainDelta(value: unknown): value is ChunkOf<'text-delta' | 'reasoning-delta'> {
  if (!isObject(value) || (value['type'] !== 'text-delta' && value['type'] !== 'reasoning-delta')) return false;
  const { payload, runId, from } = value;
  if (typeof runId !== 'string' || !froms.has(from) || !isObject(payload)) return false;
  return typeof payload['id'] === 'string' && typeof payload['text'] === 'string';
}

/** Known types first: the stream path is made of them, and they match at the first look. */
export const chunkSchema = withShortcut(castSchema<Chunk>(z.union([knownChunkSchema, otherChunkSchema])), isPlainDelta);

/** A chunk of a log or a record, which an earlier version may have stored: its type may have any form. */
export const storedChunkSchema = withShortcut(
  castSchema<Chunk>(z.union([knownChunkSchema, storedOtherSchema])),
  isPlainDelta,
);

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

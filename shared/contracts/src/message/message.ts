// Defines a message: a MastraDBMessage in its JSON form. `content.parts` is authoritative, `content.content` a flat
// fallback for old messages. Dates are ISO 8601 strings, bytes base64. As in the reference interface
// (docs/glossary.md).
import { z } from 'zod';
import { jsonObjectSchema, jsonTextSchema, jsonValueSchema } from '../base/json.ts';
import { castSchema } from '../base/typed-schema.ts';

export const imageDetailSchema = z.enum(['auto', 'low', 'high', 'original']);
export type ImageDetail = z.infer<typeof imageDetailSchema>;

/** A name of a participant. It reaches the model, so that it has the form of an id. */
export const hasNameFormat = (name: unknown): name is string => typeof name === 'string' && /^[\w-]{1,64}$/.test(name);

const textPartSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const reasoningPartSchema = z.looseObject({
  type: z.literal('reasoning'),
  reasoning: z.string(),
  providerMetadata: z
    .unknown()
    .optional()
    .describe('signature of the provider with a seal; ignored in messages of callers'),
});
const filePartSchema = z.looseObject({
  type: z.literal('file'),
  data: z.string(),
  mimeType: z.string(),
  filename: z.string().optional().catch(undefined).describe('for the model; guards judge it'),
  detail: imageDetailSchema.optional().catch(undefined).describe('resolution of an image for the model'),
});
/** A source of an answer. Stored ones may have any members. */
const citedSourceSchema = z.looseObject({
  id: z.unknown().optional(),
  sourceType: z.unknown().optional().describe('url or document'),
  title: z.unknown().optional(),
  url: z.unknown().optional(),
  mimeType: z.unknown().optional(),
  filename: z.unknown().optional(),
});
const sourcePartSchema = z.looseObject({ type: z.literal('source'), source: citedSourceSchema });
const stepStartPartSchema = z.looseObject({ type: z.literal('step-start') });

export const toolInvocationSchema = z.looseObject({
  state: z.enum(['partial-call', 'call', 'result']),
  toolCallId: z.string(),
  toolName: z.string(),
  args: jsonValueSchema,
  argsText: jsonTextSchema,
  result: jsonValueSchema.optional(),
  resultText: jsonTextSchema,
  isError: z.boolean().optional(),
  /** True if processToolCall denied the call: the tool did not run. */
  denied: z.boolean().optional(),
});
export type ToolInvocation = z.infer<typeof toolInvocationSchema>;
const toolInvocationPartSchema = z.looseObject({
  type: z.literal('tool-invocation'),
  toolInvocation: toolInvocationSchema,
});

const knownPartSchema = z.discriminatedUnion('type', [
  textPartSchema,
  reasoningPartSchema,
  toolInvocationPartSchema,
  filePartSchema,
  sourcePartSchema,
  stepStartPartSchema,
]);
/** Without `abort` zod would report the type of a text part with an invalid text as wrong. */
const OTHER_SHAPE = { message: 'the part does not match the shape of its type', abort: true };
/** Unknown part types pass unchanged, but a known type in a wrong shape does not pass as unknown. */
const otherPartSchema = z.looseObject({
  type: z.string().regex(/^(?!(text|reasoning|tool-invocation|file|source|step-start)$)/, OTHER_SHAPE),
});

const partTypes: ReadonlySet<string> = new Set(knownPartSchema.options.map(({ shape }) => shape.type.value));
/** Returns whether the type of a part is one of ours: every other one is text of its sender. */
export const isKnownPartType = (type: string): boolean => partTypes.has(type);
/** Returns whether a caller may submit parts of the type. */
export const mayBePartType = (type: string): boolean => partTypes.has(type) || /^[\w.:/-]{1,64}$/.test(type);

export const messagePartSchema = z.union([knownPartSchema, otherPartSchema]);
export type MessagePart = z.infer<typeof knownPartSchema>;
export type ToolInvocationPart = z.infer<typeof toolInvocationPartSchema>;

export const roleSchema = z.enum(['user', 'assistant', 'system', 'tool']);
export type Role = z.infer<typeof roleSchema>;

const wireMessageSchema = z.looseObject({
  id: z.string().min(1).max(200),
  role: roleSchema,
  name: z.string().optional().catch(undefined).describe('the participant: 1 to 64 letters, digits, _ and -'),
  createdAt: z.string().describe('ISO 8601'),
  threadId: z.string().optional(),
  resourceId: z.string().optional(),
  content: z.looseObject({
    format: z.literal(2).default(2),
    parts: z.array(messagePartSchema),
    content: z.string().optional(),
    metadata: jsonObjectSchema.optional(),
  }),
});

/** Names of the members of messages and of their parts. */
export const MESSAGE_MEMBERS: readonly string[] = [
  wireMessageSchema,
  wireMessageSchema.shape.content,
  toolInvocationSchema,
  citedSourceSchema,
  ...knownPartSchema.options,
].flatMap(({ shape }) => Object.keys(shape));

/** The typed form for code: known parts are typed, unknown ones are kept unchanged. */
export type Message = {
  id: string;
  role: Role;
  name?: string | undefined;
  createdAt: string;
  threadId?: string | undefined;
  resourceId?: string | undefined;
  content: {
    format: 2;
    parts: MessagePart[];
    content?: string | undefined;
    metadata?: z.infer<typeof jsonObjectSchema> | undefined;
  };
};

/**
 * Returns the parts that a model reads and a guard judges; without a text part, the flat `content` becomes a leading
 * text part. All code reads `content.content` through this function.
 */
export function listModelParts({ content }: Message): MessagePart[] {
  const hasText = content.parts.some((part) => part.type === 'text' && part.text !== '');
  if (hasText || !content.content) return content.parts;
  return [{ type: 'text', text: content.content }, ...content.parts];
}

/** Returns the text that a model reads: the text parts joined. */
export function readMessageText(message: Message): string {
  return listModelParts(message)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

/** Typed as the parts that are known; parts of other types are carried along unchanged. */
export const messageSchema = castSchema<Message>(wireMessageSchema);

/** Creates a message with one text part. `createdAt` is the current time. */
export function buildTextMessage(id: string, role: Message['role'], text: string): Message {
  return { id, role, createdAt: new Date().toISOString(), content: { format: 2, parts: [{ type: 'text', text }] } };
}

// The request of a chat completion. members/chat-members.ts states the use of each member.
import { MAX_REQUEST_MESSAGES, hasNameFormat, imageDetailSchema } from '@millrace/contracts';
import { z } from 'zod';
import { MAX_FILENAME } from '../../agents/file-part.ts';
import { metadataSchema } from '../metadata-schema.ts';

const textPartSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const imagePartSchema = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string().min(1), detail: imageDetailSchema.nullish() }),
});
const filePartSchema = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({ file_data: z.string().min(1).nullish(), filename: z.string().max(MAX_FILENAME).nullish() }),
});
const refusalPartSchema = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
const contentPartSchema = z.discriminatedUnion('type', [
  textPartSchema,
  imagePartSchema,
  filePartSchema,
  refusalPartSchema,
]);
export type ContentPart = z.output<typeof contentPartSchema>;

const toolCallSchema = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});
/** Of one answer. */
const MAX_CALLS = 1_000;

const chatMessageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(contentPartSchema)]).nullish(),
  tool_calls: z.array(toolCallSchema).max(MAX_CALLS).nullish(),
  tool_call_id: z.string().nullish(),
  refusal: z.string().nullish(),
  name: z.string().refine(hasNameFormat, 'must be 1 to 64 letters, digits, _ and -').nullish(),
});
export type ChatMessage = z.output<typeof chatMessageSchema>;

export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(chatMessageSchema).min(1).max(MAX_REQUEST_MESSAGES),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  metadata: metadataSchema,
});
export type ChatCompletionBody = z.output<typeof chatRequestSchema>;

// The request of a chat completion. Members that a run cannot carry are refused by name, or listed as ignored if they
// only tune the model: nothing is dropped silently.
import { MAX_REQUEST_MESSAGES, hasNameFormat, imageDetailSchema } from '@millrace/contracts';
import { z } from 'zod';
import { MAX_FILENAME } from '../../agents/file-part.ts';
import { metadataSchema } from '../metadata-schema.ts';
import { isEmptyList, type RefusedMembers } from '../refuse-members.ts';
import type { SettingNames } from '../run-settings.ts';

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

/** Members with another meaning than the default: the client would misread the answer. */
export const CHAT_REFUSED: RefusedMembers = {
  n: { accepts: (value) => value === 1, reason: 'A run has one answer.' },
  logprobs: { accepts: (value) => value === false },
  top_logprobs: { accepts: (value) => value === 0 },
  audio: { accepts: () => false },
  functions: { accepts: isEmptyList, reason: 'Clients send "tools" instead.' },
  modalities: { accepts: (value) => JSON.stringify(value) === '["text"]' },
  web_search_options: { accepts: () => false },
};
/** Settings that an agent may open to its callers. */
export const CHAT_SETTINGS: SettingNames = {
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxOutputTokens',
  max_completion_tokens: 'maxOutputTokens',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  stop: 'stopSequences',
  seed: 'seed',
};
/** Settings without an effect. */
export const CHAT_IGNORED = ['logit_bias', 'reasoning_effort', 'verbosity', 'prediction', 'service_tier'];

// The request of a chat completion. Members that a run cannot carry are refused by name, or listed as ignored if they
// only tune the model: nothing is dropped silently.
import { z } from 'zod';
import { isEmptyList, type RefusedMembers } from '../refuse-members.ts';
import type { SettingNames } from '../run-settings.ts';

const textPartSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const imagePartSchema = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string().min(1) }),
});
const filePartSchema = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({ file_data: z.string().min(1), filename: z.string().optional() }),
});
const refusalPartSchema = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
const contentPartSchema = z.discriminatedUnion('type', [
  textPartSchema,
  imagePartSchema,
  filePartSchema,
  refusalPartSchema,
]);
export type ContentPart = z.output<typeof contentPartSchema>;

const chatMessageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(contentPartSchema)]).nullish(),
});
export type ChatMessage = z.output<typeof chatMessageSchema>;

export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(chatMessageSchema).min(1).max(2_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type ChatRequest = z.output<typeof chatRequestSchema>;

const OWN_TOOLS = 'The agent has tools of its own and calls them itself.';

/** Members with another meaning than the default: the client would misread the answer. */
export const CHAT_REFUSED: RefusedMembers = {
  n: { accepts: (value) => value === 1, reason: 'A run has one answer.' },
  logprobs: { accepts: (value) => value === false },
  top_logprobs: { accepts: (value) => value === 0 },
  audio: { accepts: () => false },
  tools: { accepts: isEmptyList, reason: OWN_TOOLS },
  functions: { accepts: isEmptyList, reason: OWN_TOOLS },
  tool_choice: { accepts: (value) => value === 'none' || value === 'auto' },
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
export const CHAT_IGNORED = [
  'logit_bias',
  'reasoning_effort',
  'verbosity',
  'parallel_tool_calls',
  'prediction',
  'service_tier',
];

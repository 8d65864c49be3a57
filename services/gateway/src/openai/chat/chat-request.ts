// The request of a chat completion. Members that a run cannot carry are refused by name, or listed as ignored if they
// only tune the model: nothing is dropped silently.
import { MillraceError } from '@millrace/contracts';
import { z } from 'zod';

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

/** Members with another meaning than the default are refused: the answer would not be what the client expects. */
const REFUSED: Record<string, (value: unknown) => boolean> = {
  n: (value) => value !== 1,
  logprobs: (value) => value !== false,
  top_logprobs: (value) => value !== 0,
  audio: () => true,
  tools: (value) => !isEmptyList(value),
  functions: (value) => !isEmptyList(value),
  tool_choice: (value) => value !== 'none' && value !== 'auto',
  response_format: (value) => readType(value) !== 'text',
  modalities: (value) => JSON.stringify(value) !== '["text"]',
  web_search_options: () => true,
};
const REASONS: Record<string, string> = {
  tools: 'The agent has tools of its own and calls them itself.',
  functions: 'The agent has tools of its own and calls them itself.',
  n: 'A run has one answer.',
  response_format: 'The agent defines the form of its answers.',
};
/** The agent defines the settings of its model. */
const IGNORED = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'presence_penalty',
  'frequency_penalty',
  'stop',
  'seed',
  'logit_bias',
  'reasoning_effort',
  'verbosity',
  'parallel_tool_calls',
  'prediction',
  'service_tier',
];

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const readType = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;

/** @throws not-built-yet with the member as its path */
export function refuseUnsupported(request: ChatRequest): void {
  for (const [name, isRefused] of Object.entries(REFUSED)) {
    const value: unknown = request[name];
    if (value === undefined || value === null || !isRefused(value)) continue;
    throw new MillraceError('not-built-yet', `"${name}" is not supported. ${REASONS[name] ?? ''}`.trim(), {
      path: name,
      remedy: `Omit "${name}".`,
    });
  }
}

/** Returns the members that have no effect. */
export const listIgnored = (request: ChatRequest): string[] =>
  IGNORED.filter((name) => request[name] !== undefined && request[name] !== null);

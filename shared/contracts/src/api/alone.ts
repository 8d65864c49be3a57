// Defines the verbs that call one processor or one tool alone: without an agent, a model, memory or state.
import { z } from 'zod';
import { CHECK_MS, MAX_CHECK_CHARS, MAX_CHECK_MESSAGES, MAX_CHECK_MS, checkAnswerSchema } from './check.ts';
import { entryOutcomeSchema } from '../run/event.ts';
import { keyBudgetSchema } from '../run/budget.ts';
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts';
import { messageSchema } from '../message/message.ts';
import { tokenSchema } from '../base/tokens.ts';

/** Stages that judge a text without a step of a run around them. */
export const TRIED_STAGES = [
  'processInput',
  'processOutputStream',
  'processOutputStep',
  'processOutputResult',
] as const;
export type TriedStage = (typeof TRIED_STAGES)[number];
export const isTriedStage = (name: string): name is TriedStage => TRIED_STAGES.some((stage) => stage === name);

const around = {
  requestContext: jsonObjectSchema.default({}),
  timeoutMs: z.number().int().min(100).max(MAX_CHECK_MS).default(CHECK_MS),
};

/** Strict: an unknown field is rejected by its name. */
export const tryRequestSchema = z.strictObject({
  processor: tokenSchema.describe('its id, or an alias of another framework'),
  stage: z.enum(TRIED_STAGES).optional().describe('default: the first of them that the processor has'),
  options: jsonObjectSchema.default({}).describe('as in an entry of an agent; its schema is checked'),
  text: z.string().max(MAX_CHECK_CHARS).optional().describe('either a text or messages'),
  messages: z
    .array(messageSchema)
    .min(1)
    .max(MAX_CHECK_MESSAGES)
    .optional()
    .describe('judged together, as the input of one run; processInput only'),
  ...around,
  budget: keyBudgetSchema.optional().describe('of the key that asks; the gateway adds it'),
});
export type TryRequest = z.infer<typeof tryRequestSchema>;

export const tryAnswerSchema = checkAnswerSchema.omit({ undecided: true, unjudged: true }).extend({
  stage: z.enum(TRIED_STAGES),
  outcomes: z
    .array(entryOutcomeSchema)
    .describe('the verdict of each call with its reason, duration, replica, and violations with spans'),
});
export type TryAnswer = z.infer<typeof tryAnswerSchema>;

export const toolCallRequestSchema = z.strictObject({
  tool: tokenSchema,
  args: jsonObjectSchema.default({}).describe('checked against the schema of the tool'),
  confirmed: z.boolean().default(false).describe('required for a tool that writes or sends'),
  requestContext: around.requestContext,
});
export type ToolCallRequest = z.infer<typeof toolCallRequestSchema>;

export const toolCallAnswerSchema = z.object({
  result: jsonValueSchema.describe('no processor has judged it'),
  isError: z.boolean(),
  ms: z.number().min(0),
});
export type ToolCallAnswer = z.infer<typeof toolCallAnswerSchema>;

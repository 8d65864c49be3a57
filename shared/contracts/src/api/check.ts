// Defines the request and the answer of the verb `check`: texts or messages, judged by the processors of an agent
// without a model, memory or state.
import { z } from 'zod';
import { errorCodeSchema } from '../base/errors.ts';
import { jsonObjectSchema } from '../base/json.ts';
import { messageSchema } from '../message/message.ts';
import { entryUsageSchema } from '../message/model.ts';
import { keyBudgetSchema } from '../run/budget.ts';
import { tokenSchema } from '../base/tokens.ts';
import { publicViolationSchema } from '../stage/verdict.ts';

/** Maximum number of texts of one check. Each text of an answer is judged as an answer of its own. */
const MAX_CHECK_TEXTS = 64;
/** Maximum number of messages of one check: they are judged together, as the input of one run. */
export const MAX_CHECK_MESSAGES = 1_000;
/** Maximum length of a text, in UTF-16 code units. */
export const MAX_CHECK_CHARS = 256 * 1024;
/** Maximum duration of a check, ms. */
export const MAX_CHECK_MS = 120_000;
export const CHECK_MS = 30_000;

/** Strict: an unknown field is rejected by its name. */
export const checkRequestSchema = z.strictObject({
  agent: tokenSchema,
  direction: z.enum(['input', 'output']).describe('the list of processors'),
  texts: z
    .array(z.string().max(MAX_CHECK_CHARS))
    .min(1)
    .max(MAX_CHECK_TEXTS)
    .optional()
    .describe('each one is judged alone; either texts or messages'),
  messages: z
    .array(messageSchema)
    .min(1)
    .max(MAX_CHECK_MESSAGES)
    .optional()
    .describe('judged together, as the input of one run; direction input only'),
  complete: z.boolean().default(true).describe('false: each text is the beginning of an answer that is being streamed'),
  requestContext: jsonObjectSchema.default({}),
  timeoutMs: z.number().int().min(100).max(MAX_CHECK_MS).default(CHECK_MS),
  budget: keyBudgetSchema.optional().describe('of the key that asks; the gateway adds it'),
});
export type CheckRequest = z.infer<typeof checkRequestSchema>;

export const checkAnswerSchema = z.object({
  action: z.enum(['pass', 'changed', 'block']),
  texts: z
    .array(z.string())
    .describe('the passed text of each given text or message, in order; empty if the check blocks'),
  reason: z.string().optional().describe('of a block'),
  code: errorCodeSchema.optional().describe('of a block by a processor that failed'),
  processor: tokenSchema.optional().describe('the entry that blocks'),
  violations: z.array(publicViolationSchema),
  unjudged: z
    .array(z.string())
    .optional()
    .describe(
      'paths of the first files of the messages that no processor has read, if `files` of the agent passes them, or that a processor has removed',
    ),
  undecided: z
    .array(z.number().int().min(0))
    .optional()
    .describe('if not complete: number of UTF-16 code units at the end of each text that may still change'),
  usage: z.array(entryUsageSchema).describe('model calls that the processors report, by entry'),
});
export type CheckAnswer = z.infer<typeof checkAnswerSchema>;

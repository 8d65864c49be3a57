// Options of the context-compaction processor.
import { z } from 'zod';
import { responseOption } from '../../guard/strategy-options.ts';
import { defineTimeoutOption, modelOption } from '../../model/model-options.ts';
import { COUNTINGS } from '../token-limiter/count-tokens.ts';

/** A summary takes longer than a verdict. */
const SUMMARY_TIMEOUT_MS = 60_000;
const MAX_KEPT_TOKENS = 100_000;

const tokens = z.number().int();

export const contextCompactionOptions = z.strictObject({
  budget: tokens
    .min(100)
    .describe(
      'Tokens of a prompt above which it is compacted. Files, the definitions of tools and the answer are not counted: set it below the window of the model. Required.',
    ),
  keepRecent: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(3)
    .describe(
      'Number of last steps of the prompt that stay as they are. A step is an answer of the model with its tool results.',
    ),
  resultHeadTokens: tokens
    .min(0)
    .max(MAX_KEPT_TOKENS)
    .default(400)
    .describe('Tokens at the beginning of an old tool result that stay if the result is shortened.'),
  resultTailTokens: tokens
    .min(0)
    .max(MAX_KEPT_TOKENS)
    .default(200)
    .describe('Tokens at the end of an old tool result that stay if the result is shortened.'),
  model: modelOption.describe(
    'Model that summarizes the oldest messages, as a router id such as openai/gpt-5-mini. Default: no summaries.',
  ),
  summaryTokens: tokens
    .min(50)
    .max(3_000)
    .default(1_000)
    .describe('Maximum length of a summary that the model is asked for.'),
  modelTimeoutMs: defineTimeoutOption(SUMMARY_TIMEOUT_MS),
  drop: z
    .boolean()
    .default(false)
    .describe(
      'Whether the oldest messages are omitted if the prompt is still above the budget. Otherwise the violation `budget-not-met` reports it, and the prompt passes.',
    ),
  counting: z
    .enum(COUNTINGS)
    .default('estimate')
    .describe('estimate: count by rules, some percent off. exact: count by the encoding o200k_base, word by word.'),
  response: responseOption,
});
export type ContextCompactionOptions = z.output<typeof contextCompactionOptions>;

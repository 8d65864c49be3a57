// The options of the token-limiter processor.
import { z } from 'zod';
import { responseOption } from '../guard/strategy-options.ts';
import { COUNTINGS } from './count-tokens.ts';
import { TRIM_MODES } from './fit-tokens.ts';

export const tokenLimiterOptions = z.strictObject({
  limit: z
    .number()
    .int()
    .min(1)
    .describe('required: tokens; listed under input: of the prompt, under output: of the answer'),
  at: z
    .enum(['stream', 'result'])
    .default('stream')
    .describe('where an answer is limited: while it streams, or only what is stored of it at the end of the run'),
  strategy: z
    .enum(['truncate', 'abort'])
    .default('truncate')
    .describe('truncate: the oldest messages go, of an answer its end; abort: the run stops'),
  countMode: z
    .enum(['cumulative', 'part'])
    .default('cumulative')
    .describe('of an answer: all text of the run together, or each text part by itself'),
  trimMode: z
    .enum(TRIM_MODES)
    .default('best-fit')
    .describe('of a prompt: older messages that still fit stay, or none is older than the first that does not fit'),
  counting: z
    .enum(COUNTINGS)
    .default('estimate')
    .describe('estimate: by rules, some percent off; exact: by the encoding o200k_base, by its words'),
  response: responseOption,
});
export type TokenLimiterOptions = z.output<typeof tokenLimiterOptions>;

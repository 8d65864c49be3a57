// Options of the token-limiter processor.
import { z } from 'zod';
import { responseOption } from '../../guard/strategy-options.ts';
import { COUNTINGS } from './count-tokens.ts';
import { TRIM_MODES } from './fit-tokens.ts';

export const tokenLimiterOptions = z.strictObject({
  limit: z
    .number()
    .int()
    .min(1)
    .describe(
      'Maximum number of tokens: of the prompt if listed under input, of the answer if listed under output. Required.',
    ),
  at: z
    .enum(['stream', 'result'])
    .default('stream')
    .describe('Stage that limits an answer: while it streams, or only the stored answer at the end of the run.'),
  strategy: z
    .enum(['truncate', 'abort'])
    .default('truncate')
    .describe('truncate: drop the oldest messages, or the end of an answer. abort: stop the run.'),
  countMode: z
    .enum(['cumulative', 'part'])
    .default('cumulative')
    .describe('For answers: count all text of the run together, or each text part separately.'),
  trimMode: z
    .enum(TRIM_MODES)
    .default('best-fit')
    .describe(
      'For prompts. best-fit: keep older messages that still fit. contiguous: drop every message before the first that does not fit.',
    ),
  counting: z
    .enum(COUNTINGS)
    .default('estimate')
    .describe('estimate: count by rules, some percent off. exact: count by the encoding o200k_base, word by word.'),
  response: responseOption,
});
export type TokenLimiterOptions = z.output<typeof tokenLimiterOptions>;

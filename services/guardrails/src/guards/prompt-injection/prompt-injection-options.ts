// Options of the prompt-injection processor.
import { z } from 'zod';
import { responseOption } from '../../guard/strategy-options.ts';
import { modelOption, modelTimeoutOption, defineWhenOption } from '../../model/model-options.ts';
import { patternSchema, findTotalProblem } from '../../text/linear-pattern.ts';
import { AIMS } from './rules/rule.ts';
import { DEFAULT_THRESHOLD } from './signals.ts';

const MAX_PHRASES = 1_000;
const MAX_PATTERNS = 100;
const hasWord = /[\p{L}\p{N}]/u;

export const promptInjectionOptions = z
  .strictObject({
    strategy: z
      .enum(['block', 'warn', 'filter', 'rewrite'])
      .default('block')
      .describe(
        'block: stop the run. warn: report only. filter: drop the message or tool result. rewrite: cut out the finding.',
      ),
    toolResults: z
      .enum(['strategy', 'warn'])
      .default('strategy')
      .describe(
        'strategy: treat tool results by `strategy`. warn: report them only, unless they contain signals that honest text has no use for: encoded instructions, hidden characters, and forged role marks with an order. An agent that is applied without `strategy` gets warn.',
      ),
    scanRemembered: z
      .boolean()
      .default(false)
      .describe(
        'Whether to judge the messages that memory recalls too: list the entry behind `memory`. `filter` and `rewrite` change the prompt of the run, not the thread.',
      ),
    threshold: z
      .number()
      .gt(0)
      .max(1)
      .default(DEFAULT_THRESHOLD)
      .describe(
        'Score (0 to 1) at or above which a text is treated as an attack. Lower values catch more and cause more false positives.',
      ),
    aims: z
      .union([z.literal('all'), z.array(z.enum(AIMS)).min(1)])
      .default('all')
      .describe('Goals of attackers to detect. `phrases` and `patterns` always apply.'),
    phrases: z
      .array(z.string().max(500).regex(hasWord, 'expected at least one word'))
      .max(MAX_PHRASES)
      .default([])
      .describe('Additional phrases, compared as words and case-insensitive.'),
    patterns: z
      .array(patternSchema)
      .max(MAX_PATTERNS)
      .default([])
      .describe('Additional regular expressions (RE2), case-insensitive.'),
    model: modelOption,
    when: defineWhenOption('doubt'),
    modelThreshold: z
      .number()
      .gt(0)
      .max(1)
      .default(0.5)
      .describe('Likelihood (0 to 1) at or above which the model’s answer marks a text as an attack.'),
    modelTimeoutMs: modelTimeoutOption,
    response: responseOption,
  })
  .superRefine(({ patterns }, context) => {
    const problem = findTotalProblem(patterns);
    if (problem) context.addIssue({ code: 'custom', message: problem, path: ['patterns'] });
  });
export type PromptInjectionOptions = z.output<typeof promptInjectionOptions>;

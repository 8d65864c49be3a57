// The options of the prompt-injection processor.
import { z } from 'zod';
import { responseOption } from '../guard/strategy-options.ts';
import { modelOption, modelTimeoutOption, whenOption } from '../model/model-options.ts';
import { patternSchema, totalProblemOf } from '../text/linear-pattern.ts';
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
        'block: the run stops; warn: reported only; filter: the message or tool result is left out; rewrite: what was found is cut out',
      ),
    threshold: z
      .number()
      .gt(0)
      .max(1)
      .default(DEFAULT_THRESHOLD)
      .describe('from which score on a text is an attempt, 0 to 1; lower catches more and raises more false alarms'),
    aims: z
      .union([z.literal('all'), z.array(z.enum(AIMS)).min(1)])
      .default('all')
      .describe('what attackers want that is looked for; `phrases` and `patterns` of these options always are'),
    phrases: z
      .array(z.string().max(500).regex(hasWord, 'no word in it'))
      .max(MAX_PHRASES)
      .default([])
      .describe('more phrases, compared as words, in any case'),
    patterns: z
      .array(patternSchema)
      .max(MAX_PATTERNS)
      .default([])
      .describe('more regular expressions (RE2), upper and lower case the same'),
    model: modelOption,
    when: whenOption('doubt'),
    modelThreshold: z
      .number()
      .gt(0)
      .max(1)
      .default(0.5)
      .describe('from which likelihood on the model’s opinion makes a text an attempt, 0 to 1'),
    modelTimeoutMs: modelTimeoutOption,
    response: responseOption,
  })
  .superRefine(({ patterns }, context) => {
    const problem = totalProblemOf(patterns);
    if (problem) context.addIssue({ code: 'custom', message: problem, path: ['patterns'] });
  });
export type PromptInjectionOptions = z.output<typeof promptInjectionOptions>;

// The options of the response-validator processor.
import { jsonSchemaSchema } from '@millrace/contracts';
import { z } from 'zod';
import { responseOption } from '../guard/strategy-options.ts';
import { patternSchema, totalProblemOf } from '../text/linear-pattern.ts';

const MAX_PATTERNS = 50;
const length = z.number().int().min(0).default(0);

const pattern = z.union([
  patternSchema,
  z.strictObject({
    pattern: patternSchema,
    say: z.string().min(1).max(500).describe('what the model is told instead of the pattern'),
  }),
]);
const patterns = z.array(pattern).max(MAX_PATTERNS).default([]);

export const responseValidatorOptions = z
  .strictObject({
    jsonSchema: jsonSchemaSchema.optional().describe('the answer must be JSON that fits this JSON Schema'),
    mustMatch: patterns.describe('regular expressions (RE2, any case) that must all be found in the answer'),
    mustNotMatch: patterns.describe('regular expressions of which none may be found in it'),
    minLength: length.describe('code points; 0: no limit'),
    maxLength: length.describe('code points; 0: no limit'),
    sameLanguage: z
      .boolean()
      .default(false)
      .describe('the answer must be in the language of what the user said last, where both can be told'),
    noRefusal: z.boolean().default(false).describe('the answer must not begin with a refusal to help'),
    maxRetries: z
      .number()
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe(
        'how often the model is asked again, told what was wrong; the agent’s maxProcessorRetries limits it too',
      ),
    strategy: z
      .enum(['block', 'warn'])
      .default('block')
      .describe(
        'what becomes of an answer that is still wrong: block: the run stops; warn: it passes, and is reported',
      ),
    response: responseOption,
  })
  .superRefine(({ mustMatch, mustNotMatch }, context) => {
    const problem = totalProblemOf([...mustMatch, ...mustNotMatch].map(sourceOf));
    if (problem) context.addIssue({ code: 'custom', message: problem, path: ['mustMatch'] });
  });
export type ResponseValidatorOptions = z.output<typeof responseValidatorOptions>;
export type PatternRule = z.output<typeof pattern>;

export const sourceOf = (rule: PatternRule): string => (typeof rule === 'string' ? rule : rule.pattern);

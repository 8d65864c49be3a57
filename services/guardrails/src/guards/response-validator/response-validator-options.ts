// Options of the response-validator processor.
import { jsonSchemaSchema } from '@millrace/contracts';
import { z } from 'zod';
import { responseOption, retriesOption } from '../../guard/strategy-options.ts';
import { patternSchema, boundPatterns } from '../../text/linear-pattern.ts';

const MAX_PATTERNS = 50;
const length = z.number().int().min(0).default(0);

const pattern = z.union([
  patternSchema,
  z.strictObject({
    pattern: patternSchema,
    say: z.string().min(1).max(500).describe('Message for the model instead of the pattern.'),
  }),
]);
const patterns = z.array(pattern).max(MAX_PATTERNS).default([]);

export const responseValidatorOptions = z
  .strictObject({
    jsonSchema: jsonSchemaSchema.optional().describe('JSON Schema that the answer must fit as JSON.'),
    mustMatch: patterns.describe('Regular expressions (RE2, case-insensitive) that must all match the answer.'),
    mustNotMatch: patterns.describe('Regular expressions (RE2, case-insensitive) of which none may match the answer.'),
    minLength: length.describe('Minimum length in code points. 0 disables the limit.'),
    maxLength: length.describe('Maximum length in code points. 0 disables the limit.'),
    sameLanguage: z
      .boolean()
      .default(false)
      .describe('Whether the answer must be in the language of the last user message, if both languages are detected.'),
    noRefusal: z.boolean().default(false).describe('Whether the answer must not start with a refusal.'),
    maxRetries: retriesOption,
    strategy: z
      .enum(['block', 'warn'])
      .default('block')
      .describe(
        'Action when an answer still breaks a rule and no retries are left. block: stop the run. warn: pass the answer and report it.',
      ),
    response: responseOption,
  })
  .superRefine(boundPatterns('mustMatch', (all) => [...all.mustMatch, ...all.mustNotMatch].map(getPatternSource)));
export type ResponseValidatorOptions = z.output<typeof responseValidatorOptions>;
export type PatternRule = z.output<typeof pattern>;

export const getPatternSource = (rule: PatternRule): string => (typeof rule === 'string' ? rule : rule.pattern);

// Defines the cases file of a processor's author (`--cases FILE`, JSON): valid options, texts, golden exchanges and
// redactions.
import {
  jsonObjectSchema,
  jsonValueSchema,
  stageSchema,
  tokenSchema,
  castSchema,
  getOwnMember,
  type StageInput,
} from '@millrace/contracts';
import { z } from 'zod';

const optionsSchema = jsonObjectSchema.default({}).describe('options of the entry');

const casesSchema = z.strictObject({
  options: z
    .array(jsonObjectSchema)
    .min(1)
    .optional()
    .describe('sets of options for all rules; generated from the options schema if absent'),
  texts: z
    .array(z.string())
    .optional()
    .describe('texts with a result that does not depend on their cuts; [] if the output depends on them'),
  repeatable: z
    .boolean()
    .default(true)
    .describe('false if equal calls have different answers by design: it counts, or it calls a model'),
  exchanges: z
    .array(
      z.strictObject({
        name: z.string(),
        stage: stageSchema,
        options: optionsSchema,
        state: jsonObjectSchema.default({}),
        says: z.string().optional().describe('short for a conversation with this one message of the caller'),
        input: castSchema<Partial<StageInput>>(z.looseObject({}))
          .optional()
          .describe('all of it: docs/wire.md, section 3'),
        requestContext: jsonObjectSchema.default({}),
        verdict: jsonValueSchema.describe('expected members of the verdict'),
      }),
    )
    .default([]),
  redactions: z
    .array(
      z.strictObject({
        options: optionsSchema,
        text: z.string().describe('text of the model, streamed'),
        hides: z
          .array(z.string().min(1))
          .min(1)
          .describe('strings that the output never contains, for any cuts of the text'),
        becomes: z.string().optional().describe('the whole output, joined'),
      }),
    )
    .default([]),
});
export type Cases = z.output<typeof casesSchema>;

const NO_CASES: Cases = casesSchema.parse({});

/** A cases file of one processor, or of several by their ids. */
export const casesFileSchema = z.union([
  z.strictObject({ processors: z.record(tokenSchema, casesSchema) }),
  casesSchema,
]);
export type CasesFile = z.output<typeof casesFileSchema>;

export function selectCases(file: CasesFile | undefined, processor: string): Cases {
  if (!file) return NO_CASES;
  return 'processors' in file ? (getOwnMember(file.processors, processor) ?? NO_CASES) : file;
}

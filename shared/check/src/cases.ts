// What the author of a processor says of it, in a file (`--cases FILE`, JSON): options that fit, texts, golden exchanges and redactions.
import {
  jsonObjectSchema,
  jsonValueSchema,
  stageSchema,
  tokenSchema,
  typed,
  ownMember,
  type StageInput,
} from '@millrace/contracts';
import { z } from 'zod';

const optionsSchema = jsonObjectSchema.default({}).describe('options of the entry');

const casesSchema = z.strictObject({
  options: z
    .array(jsonObjectSchema)
    .min(1)
    .optional()
    .describe('sets of options that all rules are tried with; what the options schema asks for, if absent'),
  texts: z
    .array(z.string())
    .optional()
    .describe('texts whose stream comes to the same however it is cut; [] where the output depends on the cut'),
  repeatable: z
    .boolean()
    .default(true)
    .describe('false where the same call is answered differently by design: it counts, or it asks a model'),
  exchanges: z
    .array(
      z.strictObject({
        name: z.string(),
        stage: stageSchema,
        options: optionsSchema,
        state: jsonObjectSchema.default({}),
        says: z.string().optional().describe('short for a conversation with this one message of the caller'),
        input: typed<Partial<StageInput>>(z.looseObject({})).optional().describe('all of it: docs/wire.md, section 3'),
        requestContext: jsonObjectSchema.default({}),
        verdict: jsonValueSchema.describe('what the verdict is, as far as it is said here'),
      }),
    )
    .default([]),
  redactions: z
    .array(
      z.strictObject({
        options: optionsSchema,
        text: z.string().describe('of the model, streamed'),
        hides: z.array(z.string().min(1)).min(1).describe('what never comes out, however the text is cut'),
        becomes: z.string().optional().describe('all that comes out, joined'),
      }),
    )
    .default([]),
});
export type Cases = z.output<typeof casesSchema>;

const NO_CASES: Cases = casesSchema.parse({});

/** A cases file: of one processor, or of several by their ids. */
export const casesFileSchema = z.union([
  z.strictObject({ processors: z.record(tokenSchema, casesSchema) }),
  casesSchema,
]);
export type CasesFile = z.output<typeof casesFileSchema>;

export function casesOf(file: CasesFile | undefined, processor: string): Cases {
  if (!file) return NO_CASES;
  return 'processors' in file ? (ownMember(file.processors, processor) ?? NO_CASES) : file;
}

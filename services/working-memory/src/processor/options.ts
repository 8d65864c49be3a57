// The options of working memory, and what of them cannot be said in a JSON Schema.
import { jsonSchemaSchema, MillraceError, modelIdSchema } from '@millrace/contracts';
import { assertJsonSchema, isJsonObject } from '@millrace/models/json-schema';
import { z } from 'zod';
import { templateFields } from './template-shape.ts';

/** A template or a schema stands in every prompt of the run. UTF-16 code units. */
const TEMPLATE_MAX_CHARS = 8_000;

export const optionsSchema = z
  .strictObject({
    template: z
      .string()
      .min(1)
      .max(TEMPLATE_MAX_CHARS)
      .optional()
      .describe('text with {{name}} placeholders, each a field; a general one about the user if neither is given'),
    schema: jsonSchemaSchema
      .optional()
      .describe('instead of a template: a JSON Schema of type object, with properties'),
    scope: z.enum(['resource', 'thread']).default('resource').describe('whose memory it is'),
    model: modelIdSchema.optional().describe('the model that extracts; the service’s MODEL if absent'),
    strategy: z
      .enum(['merge', 'replace'])
      .default('merge')
      .describe('whether what was extracted is merged into the memory or takes its place'),
    arrays: z
      .enum(['append', 'replace'])
      .default('append')
      .describe('with merge: whether an array is appended to the one that is there or takes its place'),
    readOnly: z.boolean().default(false).describe('true: the memory is shown and never changed'),
  })
  .superRefine(({ template, schema }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (template !== undefined && schema !== undefined) refuse('schema', 'give a template or a schema, not both');
    if (template !== undefined && templateFields(template).length === 0) {
      refuse('template', 'has no placeholder such as {{name}}');
    }
    const misfit = schema && schemaProblem(schema);
    if (misfit !== undefined) refuse('schema', misfit);
  });
export type Options = z.output<typeof optionsSchema>;

function schemaProblem(schema: z.output<typeof jsonSchemaSchema>): string | undefined {
  if (schema['type'] !== 'object' || !isJsonObject(schema['properties']))
    return 'must be of type object, with properties';
  try {
    assertJsonSchema(schema);
    return undefined;
  } catch (error) {
    return MillraceError.isInstance(error) ? error.message : String(error);
  }
}

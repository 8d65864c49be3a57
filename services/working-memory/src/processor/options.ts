// The options of working memory, and the rules on them that JSON Schema cannot express.
import { isObject, jsonSchemaSchema, MillraceError, modelIdSchema } from '@millrace/contracts';
import { assertJsonSchema } from '@millrace/models/json-schema';
import { z } from 'zod';
import { parseTemplateFields } from './template-shape.ts';

/** Maximum length of a template or schema, which every prompt of the run contains. UTF-16 code units. */
const TEMPLATE_MAX_CHARS = 8_000;

export const optionsSchema = z
  .strictObject({
    template: z
      .string()
      .min(1)
      .max(TEMPLATE_MAX_CHARS)
      .optional()
      .describe('Text with {{name}} placeholders, one field each. Default: a general template about the user.'),
    schema: jsonSchemaSchema.optional().describe('JSON Schema of type object with properties, instead of a template.'),
    scope: z
      .enum(['resource', 'thread'])
      .default('resource')
      .describe('Owner of the memory: the resource or the thread.'),
    model: modelIdSchema.optional().describe('Extraction model. Default: MODEL of the service.'),
    strategy: z
      .enum(['merge', 'replace'])
      .default('merge')
      .describe('Whether the extracted fields are merged into the memory or replace it.'),
    arrays: z
      .enum(['append', 'replace'])
      .default('append')
      .describe('With `merge`: whether an array is appended to the existing one or replaces it.'),
    readOnly: z.boolean().default(false).describe('Shows the memory without changing it.'),
  })
  .superRefine(({ template, schema }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (template !== undefined && schema !== undefined) refuse('schema', 'give a template or a schema, not both');
    if (template !== undefined && parseTemplateFields(template).length === 0) {
      refuse('template', 'has no placeholder such as {{name}}');
    }
    const misfit = schema && findSchemaProblem(schema);
    if (misfit !== undefined) refuse('schema', misfit);
  });
export type WorkingMemoryOptions = z.output<typeof optionsSchema>;

function findSchemaProblem(schema: z.output<typeof jsonSchemaSchema>): string | undefined {
  if (schema['type'] !== 'object' || !isObject(schema['properties'])) return 'must be of type object, with properties';
  try {
    assertJsonSchema(schema);
    return undefined;
  } catch (error) {
    return MillraceError.isInstance(error) ? error.message : String(error);
  }
}

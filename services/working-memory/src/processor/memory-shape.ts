// What a memory looks like: which JSON Schema an update to it is asked for with, and how it is told to the model that answers.
// A memory has the shape of a template (text with `{{name}}` placeholders, each a field) or of a JSON Schema.
import type { JsonObject, JsonSchema } from '@millrace/contracts';
import { schemaShape } from './schema-shape.ts';
import { templateShape } from './template-shape.ts';

export type MemoryShape = {
  /**
   * The schema of an update. No field is required: what is left out stays as it is, null deletes. The same object each time, so
   * that it is compiled once.
   */
  updateSchema: JsonSchema;
  /** The memory as text; `memory` is not empty. */
  format(memory: JsonObject): string;
};

export type ShapeOptions = { template?: string | undefined; schema?: JsonSchema | undefined };

/** @param options one of the two; neither means the default template */
export function memoryShape({ template = DEFAULT_TEMPLATE, schema }: ShapeOptions): MemoryShape {
  return schema === undefined ? templateShape(template) : schemaShape(schema);
}

/** What is worth keeping about somebody whom nothing more is known of. */
export const DEFAULT_TEMPLATE = `Name: {{name}}
Location: {{location}}
Occupation: {{occupation}}
Interests: {{interests}}
Preferences: {{preferences}}
Goals: {{goals}}
Notes: {{notes}}`;

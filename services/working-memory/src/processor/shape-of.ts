// The shape that an agent's options ask for: that of a template (text with `{{name}}` placeholders, each a field) or of a JSON
// Schema.
import type { JsonSchema } from '@millrace/contracts';
import type { MemoryShape } from './memory-shape.ts';
import { schemaShape } from './schema-shape.ts';
import { templateShape } from './template-shape.ts';

type ShapeOptions = { template?: string | undefined; schema?: JsonSchema | undefined };

/** @param options one of the two; neither means the default template */
export function shapeOf({ template = DEFAULT_TEMPLATE, schema }: ShapeOptions): MemoryShape {
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

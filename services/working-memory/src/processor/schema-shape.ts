// A memory in the shape of a JSON Schema. What the model is asked for is an update of it, so the author's schema is loosened:
// nothing is required, and everything may be null.
import type { JsonSchema, JsonValue } from '@millrace/contracts';
import { isJsonObject } from '@millrace/models/json-schema';
import type { MemoryShape } from './memory-shape.ts';

export function schemaShape(schema: JsonSchema): MemoryShape {
  return { updateSchema: updateSchema(schema), format: (memory) => JSON.stringify(memory) };
}

/** Fields that the author does not name are refused, unless the author says otherwise. */
function updateSchema(schema: JsonSchema): JsonSchema {
  const { required: _, properties, additionalProperties = false, ...rest } = schema;
  const loosened = Object.entries(isJsonObject(properties) ? properties : {}).map(
    ([field, value]) => [field, orNull(value)] as const,
  );
  return { ...rest, properties: Object.fromEntries(loosened), additionalProperties };
}

function orNull(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  if (isPlainObject(schema)) return { ...updateSchema(schema), type: ['object', 'null'] };
  if (typeof schema['type'] === 'string' && !('enum' in schema) && !('const' in schema)) {
    return { ...schema, type: [schema['type'], 'null'] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}

/** An object whose fields are listed; references and combinations are left as they are, to be given as a whole. */
function isPlainObject(schema: JsonSchema): boolean {
  return schema['type'] === 'object' && isJsonObject(schema['properties']) && !('$ref' in schema);
}

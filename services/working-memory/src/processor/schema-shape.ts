// A memory in the shape of a JSON Schema. The model returns an update, so the author's schema is relaxed: no field is
// required and every field can be null.
import { isObject, type JsonSchema, type JsonValue } from '@millrace/contracts';
import type { MemoryShape } from './memory-shape.ts';

export function createSchemaShape(schema: JsonSchema): MemoryShape {
  return { updateSchema: buildUpdateSchema(schema), format: (memory) => JSON.stringify(memory) };
}

/** Rejects fields that the author does not name, unless the schema allows additional properties. */
function buildUpdateSchema(schema: JsonSchema): JsonSchema {
  const { required: _, properties, additionalProperties = false, ...rest } = schema;
  const loosened = Object.entries(isObject(properties) ? properties : {}).map(
    ([field, value]) => [field, allowNull(value)] as const,
  );
  return { ...rest, properties: Object.fromEntries(loosened), additionalProperties };
}

function allowNull(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return schema;
  if (isPlainObject(schema)) return { ...buildUpdateSchema(schema), type: ['object', 'null'] };
  if (typeof schema['type'] === 'string' && !('enum' in schema) && !('const' in schema)) {
    return { ...schema, type: [schema['type'], 'null'] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}

/** Matches an object with listed fields. References and combinations stay unchanged and are given as a whole. */
function isPlainObject(schema: JsonSchema): boolean {
  return schema['type'] === 'object' && isObject(schema['properties']) && !('$ref' in schema);
}

// What an answer of the model states. Models that may not leave a field out write '' into it: that is nothing to remember and
// nothing to forget, at any depth. Only null deletes.
import type { JsonObject, JsonValue } from '@millrace/contracts';
import { isJsonObject } from '@millrace/models/json-schema';

export function statedFields(update: JsonObject): JsonObject {
  const stated = Object.entries(update).flatMap(([field, value]): [string, JsonValue][] => {
    const said = statedValue(value);
    return said === undefined ? [] : [[field, said]];
  });
  return Object.fromEntries(stated);
}

function statedValue(value: JsonValue): JsonValue | undefined {
  if (value === '') return undefined;
  if (Array.isArray(value)) return value.filter((member) => member !== '');
  if (!isJsonObject(value)) return value;
  const stated = statedFields(value);
  return Object.keys(stated).length === 0 ? undefined : stated;
}

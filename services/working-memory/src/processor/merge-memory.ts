// How an update becomes part of a memory. Pure: the same update on another's memory gives the memory that both would have made.
import type { JsonObject, JsonValue } from '@millrace/contracts';
import { isJsonObject } from '@millrace/models/json-schema';

export type ArrayMode = 'append' | 'replace';

/**
 * Fields that `update` does not name stay. null deletes a field, an object is merged into an object, an array is appended to an
 * array (what is there already is not added again) or takes its place, everything else takes the field's place.
 */
export function mergeMemory(memory: JsonObject, update: JsonObject, arrays: ArrayMode): JsonObject {
  const merged = new Map(Object.entries(memory));
  for (const [field, value] of Object.entries(update)) {
    if (value === null) merged.delete(field);
    else merged.set(field, mergeValue(merged.get(field), value, arrays));
  }
  // fromEntries defines fields, so that one called __proto__ is a field like any other.
  return Object.fromEntries(merged);
}

function mergeValue(before: JsonValue | undefined, value: JsonValue, arrays: ArrayMode): JsonValue {
  if (isJsonObject(value)) return mergeMemory(isJsonObject(before) ? before : {}, value, arrays);
  if (!Array.isArray(value)) return value;
  return distinct(arrays === 'append' && Array.isArray(before) ? [...before, ...value] : value);
}

function distinct(values: readonly JsonValue[]): JsonValue[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size < seen.add(canonical(value)).size);
}

/** The same text for equal values, whatever the order of their fields: comparing each with each would take a list's square. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

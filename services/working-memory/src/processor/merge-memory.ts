// Merges an update into a memory. Pure: applying one update to the memory of another run gives the memory that both
// runs produce.
import { isObject, type JsonObject, type JsonValue } from '@millrace/contracts';

export type ArrayMode = 'append' | 'replace';

/**
 * Keeps fields that `update` does not name. null deletes a field, an object is merged into an object, an array is
 * appended to an array (without the elements that it already has) or replaces it, and any other value replaces the
 * field.
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
  if (isObject(value)) return mergeMemory(isObject(before) ? before : {}, value, arrays);
  if (!Array.isArray(value)) return value;
  return omitDuplicates(arrays === 'append' && Array.isArray(before) ? [...before, ...value] : value);
}

function omitDuplicates(values: readonly JsonValue[]): JsonValue[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size < seen.add(canonicalize(value)).size);
}

/**
 * Returns the same text for equal values in any order of their fields: comparing each element with each would take
 * quadratic time.
 */
function canonicalize(value: JsonValue): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

// Reading a guard's own part of an entry's state: JSON that it wrote itself, and checks again, as it has been on the wire.
import type { JsonObject, JsonValue } from '@millrace/contracts';

/** The object under `key`, made when it is not there. */
export function objectIn(state: JsonObject, key: string): JsonObject {
  const known = state[key];
  if (isJsonObject(known)) return known;
  const made: JsonObject = {};
  state[key] = made;
  return made;
}

export function numberIn(state: JsonObject, key: string): number {
  const known = state[key];
  return typeof known === 'number' ? known : 0;
}

export function stringIn(state: JsonObject, key: string): string {
  const known = state[key];
  return typeof known === 'string' ? known : '';
}

const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

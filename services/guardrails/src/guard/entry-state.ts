// Reads a guard's part of an entry's state and validates it again, because the state has been on the wire.
import { isObject, type JsonObject } from '@millrace/contracts';

/** Returns the object under `key`, and creates it if it is absent. */
export function readObject(state: JsonObject, key: string): JsonObject {
  const known = state[key];
  if (isObject(known)) return known;
  const made: JsonObject = {};
  state[key] = made;
  return made;
}

export function readNumber(state: JsonObject, key: string): number {
  const known = state[key];
  return typeof known === 'number' ? known : 0;
}

export function readString(state: JsonObject, key: string): string {
  const known = state[key];
  return typeof known === 'string' ? known : '';
}

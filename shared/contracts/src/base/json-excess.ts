// Bounds JSON texts before JSON.parse and before any schema: a refusal costs one pass over the bytes.
import { MAX_NESTING } from './json.ts';

/** `depth`: levels of arrays and objects; `values`: values and members in all; `members`: of one object. */
export type JsonBounds = Readonly<{ depth: number; values: number; members: number }>;

/**
 * Bounds of a request from outside. A body of 4 MB with one value for 16 bytes fits; one that consists of empty
 * objects does not.
 */
export const REQUEST_BOUNDS: JsonBounds = { depth: MAX_NESTING, values: 250_000, members: 20_000 };

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns the first bound that the text exceeds, such as `is nested more than 128 deep`. The text may be invalid JSON. */
export function findExcess(json: Uint8Array, bounds: JsonBounds): string | undefined {
  /** Members of the open arrays and objects; those of arrays begin below zero and never reach the bound of an object. */
  const counts = [Number.NEGATIVE_INFINITY];
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = findTextEnd(json, at + 1);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) counts.pop();
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY || byte === COMMA) {
      values += 1;
      if (values > bounds.values) return `has more than ${bounds.values} values`;
      if (byte === COMMA) {
        const level = counts.length - 1;
        const members = (counts[level] ?? 0) + 1;
        if (members > bounds.members) return `has an object with more than ${bounds.members} members`;
        counts[level] = members;
      } else if (counts.push(byte === OPEN_OBJECT ? 1 : Number.NEGATIVE_INFINITY) > bounds.depth + 1)
        return `is nested more than ${bounds.depth} deep`;
    }
  }
  return undefined;
}

/** Returns the place of the quotation mark that ends a text. */
function findTextEnd(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

// What may be read as JSON before any schema looks at it: nesting has a bound, since whatever walks a value (a schema, a comparison,
// JSON.stringify) walks it by recursion; and no member is called `__proto__`, which some copies of an object would set as its prototype.

import { MAX_NESTING } from '@millrace/contracts';

/** Objects and arrays within each other: a value as deep as it may be, in a message of ours. */
export const MAX_JSON_DEPTH = MAX_NESTING + 32;

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

export function isTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
  }
  return false;
}

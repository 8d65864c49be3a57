// Whether a text at the end of a run is the one that a stream has let through, without keeping it: two sums over its code units, the
// same however it is cut. Not a secret and not a proof: both texts are the run's own.
import type { JsonObject } from '@millrace/contracts';
import { numberIn } from '../../guard/entry-state.ts';

const FIRST = 0x811c9dc5;
const SECOND = 0x9747b28c;
const PRIME = 0x01000193;

/** Adds to `sum`, which begins empty. */
export function addText(sum: JsonObject, text: string): void {
  let first = numberIn(sum, 'length') === 0 ? FIRST : numberIn(sum, 'first');
  let second = numberIn(sum, 'length') === 0 ? SECOND : numberIn(sum, 'second');
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    first = Math.imul(first ^ unit, PRIME);
    second = Math.imul(second + unit, PRIME) ^ (second >>> 13);
  }
  sum['first'] = first;
  sum['second'] = second;
  sum['length'] = numberIn(sum, 'length') + text.length;
}

export const sumKey = (sum: JsonObject): string =>
  ['first', 'second', 'length'].map((name) => numberIn(sum, name)).join(' ');

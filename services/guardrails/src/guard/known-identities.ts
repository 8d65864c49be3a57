// Computes the identities of hits before they are reported and marked, because ten thousand hashes take more than one
// turn of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashIdentity, type Identify } from './identity.ts';
import type { GuardHit } from './report.ts';

/** Cost of a value in addition to its code units. */
const VALUE_COST = 64;
/** Cost per turn, about 6 ms: a thousand values, or the code units of a few long ones. */
export const COST_PER_TURN = 65_536;

/** @param found hits of each text by rule, with places in that text */
export async function loadIdentities(
  found: ReadonlyMap<string, readonly (readonly GuardHit[])[]>,
  signal: AbortSignal,
): Promise<Identify> {
  /** Maps by rule, then by value, because a combined key would be concatenated at each look-up. */
  const known = new Map<string, Map<string, string>>();
  let cost = 0;
  for (const [text, byRule] of found) {
    for (const { rule, start, end } of byRule.flat()) {
      const value = text.slice(start, end);
      const ofRule = known.get(rule) ?? new Map<string, string>();
      if (ofRule.has(value)) continue;
      known.set(rule, ofRule.set(value, hashIdentity(rule, value)));
      cost += VALUE_COST + value.length;
      if (cost < COST_PER_TURN) continue;
      cost = 0;
      await nextTurn();
      signal.throwIfAborted();
    }
  }
  return (rule, value) => known.get(rule)?.get(value) ?? hashIdentity(rule, value);
}

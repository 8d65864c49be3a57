// The identities of what was found, worked out before it is told of and marked: those of ten thousand values are too much for one
// turn of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { identityOf, type Identify } from './identity.ts';
import type { Hit } from './report.ts';

/** What a value costs beside its code units. */
const VALUE_COST = 64;
/** Some 6 ms of either kind: a thousand values, or the code units of a few long ones. */
export const COST_PER_TURN = 65_536;

/** @param found the hits of each text, by rules, places in that very text */
export async function knownIdentities(
  found: ReadonlyMap<string, readonly (readonly Hit[])[]>,
  signal: AbortSignal,
): Promise<Identify> {
  /** By rule, then by value: a key of both would be put together for every look. */
  const known = new Map<string, Map<string, string>>();
  let cost = 0;
  for (const [text, byRule] of found) {
    for (const { rule, start, end } of byRule.flat()) {
      const value = text.slice(start, end);
      const ofRule = known.get(rule) ?? new Map<string, string>();
      if (ofRule.has(value)) continue;
      known.set(rule, ofRule.set(value, identityOf(rule, value)));
      cost += VALUE_COST + value.length;
      if (cost < COST_PER_TURN) continue;
      cost = 0;
      await nextTurn();
      signal.throwIfAborted();
    }
  }
  return (rule, value) => known.get(rule)?.get(value) ?? identityOf(rule, value);
}

// Finds the hits of consecutive rules. Each rule searches the output of the preceding ones, as in the stream, where
// each rule buffers the output of the one before.
import { createPlace } from '../text/json-place.ts';
import { replaceHits } from '../text/replace-hits.ts';
import { createCounter } from '../work/bounds.ts';
import type { GuardHit } from './report.ts';
import type { StreamRule } from './text-guard.ts';

/**
 * Returns the hits of each rule, in order, for each text. @param mark replacement of a hit; absent: texts are unchanged
 */
export function findInOrder(
  rules: readonly StreamRule[],
  mark: string | undefined,
): (texts: readonly string[]) => GuardHit[][][] {
  return (texts) => {
    const count = createCounter('hits');
    return texts.map((text) => {
      let left = text;
      return rules.map(({ find }) => {
        const hits = find(left);
        count(hits.length);
        if (mark !== undefined) left = replaceHits(left, hits, () => mark, createPlace(false));
        return hits;
      });
    });
  };
}

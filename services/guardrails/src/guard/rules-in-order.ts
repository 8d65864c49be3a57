// The hits of rules that follow one another: each is looked for in what the rules before it have left, as in the stream, where one holds
// back what the other has let through.
import { beginning } from '../text/json-place.ts';
import { replaceHits } from '../text/replace-hits.ts';
import { createCounter } from './bounds.ts';
import type { Hit } from './report.ts';
import type { StreamRule } from './text-guard.ts';

/** @param mark what takes the place of a hit; absent: texts are left as they are. Of each text: the hits of each rule, in order */
export function findInOrder(
  rules: readonly StreamRule[],
  mark: string | undefined,
): (texts: readonly string[]) => Hit[][][] {
  return (texts) => {
    const count = createCounter('hits');
    return texts.map((text) => {
      let left = text;
      return rules.map(({ find }) => {
        const hits = find(left);
        count(hits.length);
        if (mark !== undefined) left = replaceHits(left, hits, () => mark, beginning(false));
        return hits;
      });
    });
  };
}

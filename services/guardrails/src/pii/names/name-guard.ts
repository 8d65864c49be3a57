// What the stages of names and addresses share: whether a model is asked, and what it has found made into marks.
import type { CommonArgs } from '@millrace/processor';
import { BOUNDS, BoundExceeded } from '../../guard/bounds.ts';
import { identityOf } from '../../guard/identity.ts';
import { refuseUnjudged, type Hit } from '../../guard/report.ts';
import { replaces, type TextGuard } from '../../guard/text-guard.ts';
import type { ModelJudge } from '../../model/model-judge.ts';
import { beginning } from '../../text/json-place.ts';
import { replaceHits } from '../../text/replace-hits.ts';
import { createNameFinder, type FindNames } from './find-names.ts';
import { mayHoldNames } from './name-doubt.ts';
import type { Named } from './name-question.ts';

export type NameGuard = {
  guard: TextGuard;
  judge: ModelJudge<Named>;
  when: 'doubt' | 'always';
  /** In lower case. */
  allow: readonly string[];
};

/** What is too long for a model is asked about too, and refused for that: looking at its form would hold up the others. */
export const isAsked = ({ when }: NameGuard, text: string): boolean =>
  text.trim() !== '' && (when === 'always' || text.length > BOUNDS.modelText || mayHoldNames(text));

/** The finder throws (abort, halt) where there are too many to be told. */
export function finderOf({ guard, allow }: NameGuard, args: CommonArgs, answer: Named | undefined): FindNames {
  const find = createNameFinder(answer ?? { found: [] }, allow);
  return (text) => {
    try {
      return find(text);
    } catch (error) {
      if (error instanceof BoundExceeded) return refuseUnjudged(args, guard.response, error.bound);
      throw error;
    }
  };
}

export function masked({ guard }: NameGuard, { state }: CommonArgs, text: string, hits: readonly Hit[]): string {
  if (!replaces(guard)) return text;
  const markOf = (hit: Hit) => guard.mark(hit, text.slice(hit.start, hit.end), state, identityOf);
  return replaceHits(text, hits, markOf, beginning(false));
}

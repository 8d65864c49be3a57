// How long texts are: the sum that is the limit's is made of them.
import type { PrepareJudge } from '../work/task-outcome.ts';
import { lengthOf, type Unit } from './length-counter.ts';

export const prepareCounting: PrepareJudge<{ unit: Unit }, number> =
  ({ unit }) =>
  (texts) =>
    texts.map((text) => lengthOf(text, unit));

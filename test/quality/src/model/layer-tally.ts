// Tallies the contribution of the model: the number of texts that it judges, and its findings.
import { MODEL_RULE } from '../guards.ts';
import { NOT_JUDGED } from '../read-verdicts.ts';
import type { JudgedSample } from '../judge-samples.ts';

export type LayerTally = {
  texts: number;
  asked: number;
  requests: number;
  /** Texts stopped by rules, by the model alone, or because the model failed. */
  byRules: number;
  byModel: number;
  byFailure: number;
};

/** Tallies by source and label. */
export function tallyLayers(judged: readonly JudgedSample[]): Record<string, LayerTally> {
  const groups = Object.groupBy(judged, ({ sample }) => `${sample.where}, ${sample.label}`);
  const rows = Object.entries(groups).map(([name, some]) => [name, tallyLayer(some)] as const);
  return Object.fromEntries([...rows.toSorted(([a], [b]) => (a < b ? -1 : 1)), ['all', tallyLayer(judged)]]);
}

export function tallyLayer(judged: readonly JudgedSample[]): LayerTally {
  const count = (by: 'rules' | 'model' | 'failure') => judged.filter((one) => getStopper(one) === by).length;
  return {
    texts: judged.length,
    asked: judged.filter(({ requests = 0 }) => requests > 0).length,
    requests: judged.reduce((sum, { requests = 0 }) => sum + requests, 0),
    byRules: count('rules'),
    byModel: count('model'),
    byFailure: count('failure'),
  };
}

/** The model judges only texts that the rules passed, so a finding of the model is the only one. */
function getStopper({ judgement: { isCaught, rules } }: JudgedSample): 'rules' | 'model' | 'failure' | undefined {
  if (!isCaught) return undefined;
  if (rules.includes(NOT_JUDGED)) return 'failure';
  return rules.length === 1 && rules[0] === MODEL_RULE ? 'model' : 'rules';
}

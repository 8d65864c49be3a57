// What the layer with a model adds to the rules: how many texts it is asked about, and what it finds in them. Pure.
import { MODEL_RULE, NOT_JUDGED } from '../guards.ts';
import type { JudgedSample } from '../judge-samples.ts';

export type LayerTally = {
  texts: number;
  asked: number;
  requests: number;
  /** Of these texts, stopped by rules and wording, by the model alone, or because the model could not be asked. */
  byRules: number;
  byModel: number;
  byFailure: number;
};

/** By who the texts come from and what they are. */
export function layerTallies(judged: readonly JudgedSample[]): Record<string, LayerTally> {
  const groups = Object.groupBy(judged, ({ sample }) => `${sample.where}, ${sample.label}`);
  const rows = Object.entries(groups).map(([name, some]) => [name, tallyOf(some)] as const);
  return Object.fromEntries([...rows.toSorted(([a], [b]) => (a < b ? -1 : 1)), ['all', tallyOf(judged)]]);
}

function tallyOf(judged: readonly JudgedSample[]): LayerTally {
  const count = (by: 'rules' | 'model' | 'failure') => judged.filter((one) => stoppedBy(one) === by).length;
  return {
    texts: judged.length,
    asked: judged.filter(({ requests = 0 }) => requests > 0).length,
    requests: judged.reduce((sum, { requests = 0 }) => sum + requests, 0),
    byRules: count('rules'),
    byModel: count('model'),
    byFailure: count('failure'),
  };
}

/** The model is asked about what the rules let through: where it has found something, it alone has. */
function stoppedBy({ judgement: { isCaught, rules } }: JudgedSample): 'rules' | 'model' | 'failure' | undefined {
  if (!isCaught) return undefined;
  if (rules.includes(NOT_JUDGED)) return 'failure';
  return rules.length === 1 && rules[0] === MODEL_RULE ? 'model' : 'rules';
}

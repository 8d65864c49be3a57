// Logistic regression over hashed n-grams, by stochastic gradient descent with a rate per weight (Adagrad). Each n-gram
// of a window counts by its frequency, divided by the root of the number of n-grams.
import type { Example } from './corpus.ts';
import { wording } from './guard-files.ts';
import { createRandom } from './random.ts';

export type LinearModel = { bias: number; weights: Float64Array };

/** Constant, so that a text without known n-grams is harmless. */
const BIAS = -4;
const EPOCHS = 3;
const RATE = 0.4;
/** Decay of weights, so that few examples cause only small weights. */
const DECAY = 2e-6;

const hashFeatures = (text: string): Uint32Array => {
  const units = wording.toPlainUnits(text);
  const found: number[] = [];
  for (let at = 0; at < units.length; at++) wording.hashNgramsAt(units, at, (ngram) => found.push(ngram));
  return Uint32Array.from(found);
};

/** @param attackWeight weight of an attack relative to a harmless text */
export function fit(examples: readonly Example[], seed: number, attackWeight = 1): LinearModel {
  const rows = examples.map(({ text, isAttack }) => ({ features: hashFeatures(text), isAttack }));
  const weights = new Float64Array(1 << wording.NGRAM_BITS);
  const squares = new Float64Array(1 << wording.NGRAM_BITS).fill(1e-3);
  const random = createRandom(seed);
  const order = rows.map((_, at) => at);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let at = order.length - 1; at > 0; at--) {
      const other = random.pickBelow(at + 1);
      [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
    }
    for (const at of order) {
      const row = rows[at];
      if (!row || row.features.length === 0) continue;
      const scale = 1 / Math.sqrt(row.features.length);
      const p = 1 / (1 + Math.exp(-scoreFeatures({ bias: BIAS, weights }, row.features)));
      const error = (p - (row.isAttack ? 1 : 0)) * (row.isAttack ? attackWeight : 1);
      if (Math.abs(error) < 1e-4) continue;
      const step = error * scale;
      for (const feature of row.features) {
        const gradient = step + DECAY * (weights[feature] ?? 0);
        const square = (squares[feature] ?? 0) + gradient * gradient;
        squares[feature] = square;
        weights[feature] = (weights[feature] ?? 0) - (RATE * gradient) / Math.sqrt(square);
      }
    }
  }
  return { bias: BIAS, weights };
}

function scoreFeatures({ bias, weights }: LinearModel, features: Uint32Array): number {
  if (features.length === 0) return bias;
  let sum = 0;
  for (const feature of features) sum += weights[feature] ?? 0;
  return bias + sum / Math.sqrt(features.length);
}

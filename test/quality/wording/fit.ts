// Fits a logistic regression over hashed n-grams, by stochastic gradient descent with a rate for each weight (Adagrad).
// Both classes count the same, whatever their sizes.
import { ngrams } from './guard-files.ts';
import { createRandom } from './random.ts';

export type WordingExample = { text: string; isAttack: boolean };
export type LinearModel = { bias: number; weights: Float64Array };

const EPOCHS = 40;
const RATE = 0.5;
/** Decay of the weights, so that few examples cause only small weights. */
const DECAY = 1e-5;

export function fitModel(examples: readonly WordingExample[], seed: number): LinearModel {
  const rows = examples.map(({ text, isAttack }) => ({ counts: ngrams.countNgrams(text), isAttack }));
  const attacks = rows.filter(({ isAttack }) => isAttack).length;
  const share = { attack: rows.length / (2 * attacks), benign: rows.length / (2 * (rows.length - attacks)) };
  const weights = new Float64Array(ngrams.NGRAM_COUNT);
  const squares = new Float64Array(ngrams.NGRAM_COUNT).fill(1e-3);
  const random = createRandom(seed);
  const order = rows.map((_, at) => at);
  let [bias, biasSquare] = [0, 1e-3];
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    random.shuffle(order);
    for (const at of order) {
      const row = rows[at];
      if (!row || row.counts.size === 0) continue;
      const { counts, isAttack } = row;
      const error = 1 / (1 + Math.exp(-bias - ngrams.sumNgrams(counts, weights))) - Number(isAttack);
      const step = error * (isAttack ? share.attack : share.benign);
      const length = Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0));
      for (const [hash, count] of counts) {
        const gradient = (step * count) / length + DECAY * (weights[hash] ?? 0);
        squares[hash] = (squares[hash] ?? 0) + gradient * gradient;
        weights[hash] = (weights[hash] ?? 0) - (RATE * gradient) / Math.sqrt(squares[hash]);
      }
      biasSquare += step * step;
      bias -= (RATE * step) / Math.sqrt(biasSquare);
    }
  }
  return { bias, weights };
}

const MOST = 127;

/** Rounds the weights to signed bytes. */
export function packModel({ bias, weights }: LinearModel): { bias: number; scale: number; weights: string } {
  const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / MOST;
  const bytes = Int8Array.from(weights, (weight) => Math.round(weight / scale));
  return { bias, scale, weights: Buffer.from(bytes.buffer).toString('base64') };
}

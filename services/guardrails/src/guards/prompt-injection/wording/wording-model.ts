// Adds the log-odds of a linear model over n-grams to the evidence of the rules. The model knows how attacks of open
// corpora are worded (test/quality/wording trains it). It never blocks alone, or together with weak signals, which
// long tasks contain by chance: without a medium signal of a rule it is not computed.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { InjectionJudgement, Signal } from '../signals.ts';
import { DOUBT, isAnchor } from '../signals.ts';
import { NGRAM_COUNT, scoreNgrams } from './n-grams.ts';

/** Length of the excerpt around the strongest signal, in code units. */
const EXCERPT = 2_000;
/** Lengths from which an excerpt counts, and counts in full, in code units: a short text has too few n-grams. */
const [SHORTEST, FULL] = [100, 300];
/** Score of the rules from which the model counts. */
const MIN_SCORE = 0.05;

const fileSchema = z.object({
  provenance: z.record(z.string(), z.string()),
  bias: z.number(),
  scale: z.number(),
  weights: z.base64().describe('a signed byte for each hash'),
});

const model = readModel();

function readModel() {
  const text = readFileSync(new URL('wording-weights.json', import.meta.url), 'utf8');
  const { bias, scale, weights } = fileSchema.parse(JSON.parse(text));
  const bytes = Buffer.from(weights, 'base64');
  if (bytes.length !== NGRAM_COUNT) throw new Error(`wording-weights.json has ${bytes.length} weights.`);
  return { bias, scale, weights: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/** Returns the log-odds that the text is worded like an attack. */
const scoreWording = (text: string): number =>
  (model.bias + model.scale * scoreNgrams(text, model.weights)) * Math.min(1, text.length / FULL);

/** Raises the score of a text that the rules do not decide, if the wording around its strongest signal is that of attacks. */
export function weighWording(text: string, judgement: InjectionJudgement, threshold: number): InjectionJudgement {
  const { score, signals } = judgement;
  const [strongest] = signals.toSorted((one, other) => other.weight - one.weight);
  if (score >= threshold || score < MIN_SCORE || !strongest || !isAnchor(strongest) || text.length < SHORTEST)
    return judgement;
  const logOdds = scoreWording(cutExcerpt(text, strongest));
  if (logOdds <= 0) return judgement;
  const raised = 1 / (1 + Math.exp(-logOdds) * (1 / score - 1));
  return { ...judgement, score: raised, doubt: raised >= DOUBT && raised < threshold };
}

function cutExcerpt(text: string, { start, end }: Signal): string {
  const from = Math.max(0, Math.min(Math.floor((start + end - EXCERPT) / 2), text.length - EXCERPT));
  return text.slice(from, from + EXCERPT);
}

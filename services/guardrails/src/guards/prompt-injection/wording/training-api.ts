// The part of this folder that the training program (test/quality/training) loads by path.
export { NGRAM_BITS, hashNgramsAt, toPlainUnits } from './n-grams.ts';
export { scoreWindows } from './score-windows.ts';
export { packWeights, unpackWeights } from './wording-weights.ts';

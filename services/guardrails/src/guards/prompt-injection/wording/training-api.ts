// The part of this folder that the training program (test/quality/wording) loads by path.
export { countNgrams, NGRAM_COUNT, sumNgrams } from './n-grams.ts';

// Tests that the weights are reproducible: the same seed generates the same training set.
import { expect, test } from 'vitest';
import { buildExamples, listFamilies } from './corpus.ts';
import { createRandom } from './random.ts';

const buildSet = (seed: number) =>
  buildExamples(listFamilies('tool'), { attack: 20, harmless: 20 }, createRandom(seed));

test('the training set depends on the seed alone', () => {
  expect(buildSet(7)).toEqual(buildSet(7));
  expect(buildSet(7)).not.toEqual(buildSet(8));
});
test('every family of attacks and every kind of harmless text has windows of bounded length', () => {
  const windows = buildSet(7);
  const { attacks, harmless } = listFamilies('tool');
  expect(new Set(windows.map(({ family }) => family))).toEqual(new Set([...attacks, ...harmless].map(({ id }) => id)));
  expect(windows.filter(({ isAttack }) => isAttack)).toHaveLength(attacks.length * 20);
  expect(Math.max(...windows.map(({ text }) => text.length))).toBeLessThanOrEqual(192);
});

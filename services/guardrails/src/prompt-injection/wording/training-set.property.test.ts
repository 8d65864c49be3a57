// The weights can be made again: the set that they are learned from is the same for the same seed.
import { expect, test } from 'vitest';
import { examplesOf, familiesOf } from '../../../training/corpus.ts';
import { seeded } from '../../../training/random.ts';

const made = (seed: number) => examplesOf(familiesOf('tool'), { attack: 20, harmless: 20 }, seeded(seed));

test('a training set is the same for the same seed, and another for another', () => {
  expect(made(7)).toEqual(made(7));
  expect(made(7)).not.toEqual(made(8));
});
test('every family of attempts and every kind of harmless text has its windows, none longer than a window is', () => {
  const windows = made(7);
  const { attacks, harmless } = familiesOf('tool');
  expect(new Set(windows.map(({ family }) => family))).toEqual(new Set([...attacks, ...harmless].map(({ id }) => id)));
  expect(windows.filter(({ isAttack }) => isAttack)).toHaveLength(attacks.length * 20);
  expect(Math.max(...windows.map(({ text }) => text.length))).toBeLessThanOrEqual(192);
});

// What a model says of families that it has not seen: every fifth family of attempts and kind of harmless text is left out in turn.
import { scoreWindows } from '../src/prompt-injection/wording/score-windows.ts';
import { packed, unpacked } from '../src/prompt-injection/wording/wording-weights.ts';
import { attackText, examplesOf, familiesOf, harmlessText, packageExamples, type Speaker } from './corpus.ts';
import type { Family } from './family.ts';
import { fit } from './fit.ts';
import { seeded } from './random.ts';

const FOLDS = 5;
const TRIED = 200;
const SENTENCES = 6;
const LOGITS = [0, 1, 2, 3, 4];
const LEAST = -100;

/** For each family the share of its texts, in percent, that come over each of LOGITS. */
export function heldOutTable(
  speaker: Speaker,
  counts: { attack: number; harmless: number; packages: number },
  seed: number,
): Record<string, Record<string, number>> {
  const all = familiesOf(speaker);
  const rows: Record<string, Record<string, number>> = {};
  for (let fold = 0; fold < FOLDS; fold++) {
    const random = seeded(seed + fold);
    const isLeftOut = (_: Family, at: number): boolean => at % FOLDS === fold;
    const kept = (families: readonly Family[]): Family[] => families.filter((family, at) => !isLeftOut(family, at));
    const seen = { attacks: kept(all.attacks), harmless: kept(all.harmless) };
    const model = unpacked(
      packed(fit([...examplesOf(seen, counts, random), ...packageExamples(counts.packages, random)], seed)),
    );
    const best = (text: string): number => {
      let most = LEAST;
      scoreWindows(text, model, LEAST, ({ logit }) => (most = Math.max(most, logit)));
      return most;
    };
    const row = (id: string, textOf: () => string): void => {
      const found = Array.from({ length: TRIED }, () => best(textOf()));
      rows[id] = Object.fromEntries(
        LOGITS.map((least) => [`over ${least}`, (100 * found.filter((logit) => logit >= least).length) / TRIED]),
      );
    };
    for (const family of all.attacks.filter(isLeftOut))
      row(`attack ${family.id}`, () => attackText(family, [], random));
    for (const family of all.harmless.filter(isLeftOut))
      row(`harmless ${family.id}`, () => harmlessText(family, SENTENCES, random));
  }
  return rows;
}

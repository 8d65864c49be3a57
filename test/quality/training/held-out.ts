// Measures a model on families that it was not trained on: each fifth family of attacks and kind of harmless text is
// left out in turn.
import {
  writeAttack,
  buildExamples,
  listFamilies,
  writeHarmless,
  buildPackageExamples,
  type TrainingSpeaker,
} from './corpus.ts';
import type { Family } from './grammar.ts';
import { fit } from './fit.ts';
import { wording } from './guard-files.ts';
import { createRandom } from './random.ts';

const FOLDS = 5;
const TRIED = 200;
const SENTENCES = 6;
const LOGITS = [0, 1, 2, 3, 4];
const LEAST = -100;

/** Returns the percentage of each family's texts above each of LOGITS. */
export function measureHeldOut(
  speaker: TrainingSpeaker,
  counts: { attack: number; harmless: number; packages: number },
  seed: number,
): Record<string, Record<string, number>> {
  const all = listFamilies(speaker);
  const rows: Record<string, Record<string, number>> = {};
  for (let fold = 0; fold < FOLDS; fold++) {
    const random = createRandom(seed + fold);
    const isLeftOut = (_: Family, at: number): boolean => at % FOLDS === fold;
    const listTrained = (families: readonly Family[]): Family[] =>
      families.filter((family, at) => !isLeftOut(family, at));
    const seen = { attacks: listTrained(all.attacks), harmless: listTrained(all.harmless) };
    const model = wording.unpackWeights(
      wording.packWeights(
        fit([...buildExamples(seen, counts, random), ...buildPackageExamples(counts.packages, random)], seed),
      ),
    );
    const scoreBest = (text: string): number => {
      let most = LEAST;
      wording.scoreWindows(text, model, LEAST, ({ logit }) => (most = Math.max(most, logit)));
      return most;
    };
    const measureRow = (id: string, makeText: () => string): void => {
      const found = Array.from({ length: TRIED }, () => scoreBest(makeText()));
      rows[id] = Object.fromEntries(
        LOGITS.map((least) => [`over ${least}`, (100 * found.filter((logit) => logit >= least).length) / TRIED]),
      );
    };
    for (const family of all.attacks.filter(isLeftOut))
      measureRow(`attack ${family.id}`, () => writeAttack(family, [], random));
    for (const family of all.harmless.filter(isLeftOut))
      measureRow(`harmless ${family.id}`, () => writeHarmless(family, SENTENCES, random));
  }
  return rows;
}

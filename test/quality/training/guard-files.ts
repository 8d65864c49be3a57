// The files of prompt-injection that training shares. It loads them by path, because no package imports a service.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { z } from 'zod';

const GUARD = resolve(import.meta.dirname, '../../../services/guardrails/src/guards/prompt-injection');
/** The guard reads its weights from this file. */
export const WEIGHTS_FILE = resolve(GUARD, 'wording/wording-weights.json');

export type PackedWeights = { scale: number; bias: number; packed: string };
type TrainingUnits = { units: Uint16Array; places: Uint32Array; length: number };
type TrainingWeights = { bias: number; weights: Float32Array };
type WordingCode = {
  /** The number of weights is 2 to this power. */
  NGRAM_BITS: number;
  toPlainUnits(text: string): TrainingUnits;
  hashNgramsAt(units: TrainingUnits, at: number, use: (ngram: number) => void): void;
  scoreWindows(text: string, model: TrainingWeights, least: number, use: (window: { logit: number }) => void): void;
  packWeights(model: { bias: number; weights: Float64Array }): PackedWeights;
  unpackWeights(weights: PackedWeights): TrainingWeights;
};

const codeSchema = z.custom<WordingCode>(
  (module) =>
    z
      .looseObject({
        NGRAM_BITS: z.number(),
        toPlainUnits: z.function(),
        hashNgramsAt: z.function(),
        scoreWindows: z.function(),
        packWeights: z.function(),
        unpackWeights: z.function(),
      })
      .safeParse(module).success,
);
export const wording: WordingCode = codeSchema.parse(
  await import(pathToFileURL(resolve(GUARD, 'wording/training-api.ts')).href),
);

const lexiconSchema = z.looseObject({ classes: z.record(z.string(), z.array(z.string())) });

/** Reads lexicons of the guard: the words of each class without repetitions, with spaces for `_` and without the `*` of a stem. */
export function readLexicons(names: readonly string[]): Record<string, string[]> {
  const words = new Map<string, Set<string>>();
  for (const name of names) {
    const text = readFileSync(resolve(GUARD, 'data/lexicon', `${name}.json`), 'utf8');
    const { classes } = lexiconSchema.parse(JSON.parse(text));
    for (const [key, lines] of Object.entries(classes))
      words.set(key, new Set([...(words.get(key) ?? []), ...lines.flatMap((line) => line.split(' '))]));
  }
  return Object.fromEntries(
    [...words].map(([key, set]) => [key, [...set].map((word) => word.replace('*', '').replaceAll('_', ' '))]),
  );
}

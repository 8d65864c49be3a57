// The files of prompt-injection that training shares. It loads them by path, because no package imports a service.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const FOLDER = resolve(import.meta.dirname, '../../../services/guardrails/src/guards/prompt-injection/wording');
/** The guard reads its weights from this file. */
export const WEIGHTS_FILE = resolve(FOLDER, 'wording-weights.json');

type NgramCode = {
  NGRAM_COUNT: number;
  countNgrams(text: string): Map<number, number>;
  sumNgrams(counts: ReadonlyMap<number, number>, weights: ArrayLike<number>): number;
};
const codeSchema = z.custom<NgramCode>(
  (module) =>
    z.looseObject({ NGRAM_COUNT: z.number(), countNgrams: z.function(), sumNgrams: z.function() }).safeParse(module)
      .success,
);
export const ngrams: NgramCode = codeSchema.parse(await import(pathToFileURL(resolve(FOLDER, 'training-api.ts')).href));

// Reads data/lexicon, one file per language. Several files may contain the same word.
import { z } from 'zod';
import { DATA, readDataFile, readDataFolder, wordLines } from '../data-files.ts';
import type { Vocabulary } from './entry.ts';

/** `examples.attempts`: texts in the language, each with the rule that finds it; `harmless`: texts below the default threshold. */
export const lexiconFileSchema = z.strictObject({
  language: z.string().regex(/^\p{L}+$/u, 'expected the name of one language'),
  about: z.string(),
  notes: z.record(z.string(), z.string()).optional(),
  classes: z.record(z.string().regex(/^[a-z]+$/), wordLines),
  examples: z.strictObject({
    attempts: z.array(z.strictObject({ text: z.string(), rule: z.string() })).min(1),
    harmless: z.array(z.string()).min(1),
  }),
});

export const LEXICON_FILES: ReadonlyMap<string, z.infer<typeof lexiconFileSchema>> = readDataFolder(
  new URL('lexicon/', DATA),
  lexiconFileSchema,
);
export const VOCABULARIES: readonly Vocabulary[] = [...LEXICON_FILES.values()].map(({ classes }) => classes);

/** `fillers` also separate words if a text has no word boundaries. */
export const ORDINARY_WORDS = readDataFile(
  new URL('ordinary-words.json', DATA),
  z.strictObject({ about: z.string(), fillers: wordLines, common: wordLines }),
);

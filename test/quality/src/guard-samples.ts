// The lines of moderation.jsonl, language.jsonl and names.jsonl. Each becomes a sample with spans, so that one tally
// serves all guards: a category or a language is a span over the whole text.
import { basename } from 'node:path';
import { z } from 'zod';
import { checkSpans, commonMembers, sampleSchema, spansSchema, type Sample } from './sample.ts';

export const LABELLED_GUARDS = ['moderation', 'language', 'names'] as const;
/** A guard with samples of its own. */
export type LabelledGuard = (typeof LABELLED_GUARDS)[number];
export type SampledGuard = LabelledGuard | 'prompt-injection';

/** Wanted language of the language guard. */
export const TARGET = 'en';
/** Label of a text in no language, or in none that the guard knows. */
export const NO_LANGUAGE = 'und';

const coverText = (text: string, types: readonly string[]): Sample['spans'] =>
  types.map((type) => ({ start: 0, end: text.length, type }));
const labelText = (isAttack: boolean): Pick<Sample, 'label' | 'where'> => ({
  label: isAttack ? 'attack' : 'benign',
  where: 'user',
});

const moderationSchema = z
  .object({ ...commonMembers, categories: z.array(z.string().min(1)).describe('Categories to flag. []: none.') })
  .transform(({ categories, ...sample }) => ({
    ...sample,
    ...labelText(categories.length > 0),
    spans: coverText(sample.text, categories),
  }));

const languageSchema = z.object(commonMembers).transform((sample) => ({
  ...sample,
  ...labelText(![TARGET, NO_LANGUAGE].includes(sample.language)),
  spans: coverText(sample.text, sample.language === NO_LANGUAGE ? [] : [sample.language]),
}));

const namesSchema = z
  .object({ ...commonMembers, spans: spansSchema.describe('All names and postal addresses of the text.') })
  .superRefine(checkSpans)
  .transform((sample) => ({ ...sample, ...labelText(sample.spans.length > 0) }));

export const SAMPLE_SCHEMAS: Readonly<Record<SampledGuard, z.ZodType<Sample>>> = {
  'prompt-injection': sampleSchema,
  moderation: moderationSchema,
  language: languageSchema,
  names: namesSchema,
};

/** Returns whether the file belongs to the guard: to the guard in its name, or to prompt-injection. */
export function isOwnFile(path: string, guard: SampledGuard): boolean {
  if (!path.endsWith('.jsonl')) return false;
  const named = LABELLED_GUARDS.find((one) => one === basename(path, '.jsonl'));
  return (named ?? 'prompt-injection') === guard;
}

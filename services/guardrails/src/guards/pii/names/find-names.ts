// Finds the values that a model has listed in a text. A value that the text does not contain literally is ignored, so
// an invented or injected value has no effect.
import { BOUNDS, BoundExceeded } from '../../../work/bounds.ts';
import type { GuardHit } from '../../../guard/report.ts';
import { z } from 'zod';
import type { ModelQuestion } from '../../../model/model-judge.ts';

/** Minimum length of a value, in code units: "Al" is a name, a single letter is not. */
const MIN_VALUE = 2;
const hasLetter = /\p{L}/u;
/** A mark of personal data that was found before. */
const mark = /\[[A-Z_]+[\]_:]|\*{3}@/;
const special = /[\\^$.*+?()[\]{}|/]/g;

export type FindNames = (text: string) => GuardHit[];

/**
 * Finds all values in one pass, the longest first. Returns ordered hits without overlap. The finder throws
 * BoundExceeded.
 */
export function createNameFinder({ found }: ListedNames, allow: readonly string[]): FindNames {
  const types = new Map(found.map(({ type, value }) => [value.trim(), type]));
  const values = [...types.keys()].filter((value) => isValue(value) && !allow.includes(value.toLowerCase()));
  if (values.length === 0) return () => [];
  const longest = values.toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(longest.map(toWholeWordPattern).join('|'), 'gu');
  return (text) => {
    const hits: GuardHit[] = [];
    for (const { 0: value, index } of text.matchAll(pattern)) {
      hits.push({ rule: types.get(value) ?? 'name', start: index, end: index + value.length });
      if (hits.length > BOUNDS.hits) throw new BoundExceeded('hits');
    }
    return hits;
  };
}

const isValue = (value: string): boolean => value.length >= MIN_VALUE && hasLetter.test(value) && !mark.test(value);

/**
 * "Annual" does not contain the name "Ann". Scripts without capitals or without spaces have no word boundaries, and attach
 * particles to names and numbers of other scripts.
 */
function toWholeWordPattern(value: string): string {
  const before = /^[\p{Lu}\p{Ll}\p{N}]/u.test(value) ? String.raw`(?<![${WORD}])` : '';
  const after = /[\p{Lu}\p{Ll}\p{N}]$/u.test(value) ? String.raw`(?![${WORD}])` : '';
  return before + value.replaceAll(special, String.raw`\$&`) + after;
}
/** Characters that continue a word of a script with capitals, or a number. */
const WORD = String.raw`\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{N}`;

export const NAME_TYPES = ['name', 'address'] as const;
type NameType = (typeof NAME_TYPES)[number];

const MAX_FOUND = 100;
const MAX_VALUE = 200;

const WHAT: Record<NameType, string> = {
  name: 'name: the name of a person, given name, family name or both, without titles. Not companies, products, places, or people of history',
  address:
    'address: where a person lives or gets mail: street with number, and town and postal code where they belong to it',
};

const found = z.strictObject({
  found: z.array(z.strictObject({ type: z.enum(NAME_TYPES), value: z.string().max(MAX_VALUE) })).max(MAX_FOUND),
});
export type ListedNames = z.output<typeof found>;

export const createNameQuestion = (types: readonly NameType[]): ModelQuestion<ListedNames> => ({
  name: 'personal-names',
  instructions: [
    'List the personal data in a text, each value exactly as it is written there, letter for letter, once:',
    types.map((type) => `- ${WHAT[type]}`).join('\n'),
    'The text may begin and end in the middle of a sentence. Marks such as [REDACTED] or [EMAIL_1] are none. List nothing else; an empty list where there is none.',
  ].join('\n'),
  answer: found,
  nothing: { found: [] },
});

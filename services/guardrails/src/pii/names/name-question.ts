// What pii asks of a model: which names and addresses stand in a text, word for word.
import { z } from 'zod';
import type { Question } from '../../model/model-judge.ts';

export const NAME_TYPES = ['name', 'address'] as const;
export type NameType = (typeof NAME_TYPES)[number];

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
export type Named = z.output<typeof found>;

export const nameQuestion = (types: readonly NameType[]): Question<Named> => ({
  name: 'personal-names',
  instructions: [
    'List the personal data in a text, each value exactly as it is written there, letter for letter, once:',
    types.map((type) => `- ${WHAT[type]}`).join('\n'),
    'The text may begin and end in the middle of a sentence. Marks such as [REDACTED] or [EMAIL_1] are none. List nothing else; an empty list where there is none.',
  ].join('\n'),
  answer: found,
});

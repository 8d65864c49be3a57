// All vocabularies.
import { ADDRESSING } from './addressing.ts';
import { EASTERN } from './eastern.ts';
import { ENGLISH_CONCEPTS } from './english-concepts.ts';
import { ENGLISH } from './english.ts';
import type { Vocabulary } from './entry.ts';
import { UNSPACED } from './unspaced-words.ts';
import { WESTERN } from './western.ts';

export const VOCABULARIES: readonly Vocabulary[] = [
  ENGLISH,
  ENGLISH_CONCEPTS,
  ...ADDRESSING,
  ...WESTERN,
  ...EASTERN,
  ...UNSPACED,
];

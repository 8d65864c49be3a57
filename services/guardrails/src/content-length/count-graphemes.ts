// Graphemes of a text that comes in pieces, character by character: what decides whether the next one begins a grapheme is a number, however
// long the grapheme is that it may join.
import { TRAITS, traitsOf } from './grapheme-traits.ts';

/** What the characters before say of the next one. A state is one of the first and one of the second. */
const LAST = { control: 0, other: 1, return: 2, leads: 3, first: 4, vowel: 5, last: 6 } as const;
const OPEN = { nothing: 0, flag: 8, picture: 16, pictures: 24, consonant: 32, consonants: 40 } as const;
const OPEN_BITS = 56;
const LAST_BITS = 7;

/** Nothing before it: the first character begins a grapheme. */
export const AT_START: number = LAST.control + OPEN.nothing;

/** Whether the character begins a grapheme, and the state behind it. */
export function nextGrapheme(state: number, codePoint: number): { begins: boolean; state: number } {
  if (codePoint >= 32 && codePoint < 127) return { begins: (state & LAST_BITS) !== LAST.leads, state: LAST.other };
  const traits = traitsOf(codePoint);
  const begins = !joins(state, traits, codePoint);
  return { begins, state: lastOf(traits, codePoint) + openAfter(state & OPEN_BITS, traits) };
}

function joins(state: number, traits: number, codePoint: number): boolean {
  const last = state & LAST_BITS;
  if (last === LAST.return) return codePoint === LINE_FEED;
  if (last === LAST.control || has(traits, TRAITS.control)) return false;
  if (last === LAST.leads || has(traits, TRAITS.joins)) return true;
  if (last === LAST.first) return has(traits, TRAITS.afterFirst);
  if (last === LAST.vowel) return has(traits, TRAITS.afterVowel);
  if (last === LAST.last) return has(traits, TRAITS.afterLast);
  const open = state & OPEN_BITS;
  if (open === OPEN.flag) return has(traits, TRAITS.flag);
  if (open === OPEN.pictures) return has(traits, TRAITS.picture);
  return open === OPEN.consonants && has(traits, TRAITS.consonant);
}
const [LINE_FEED, RETURN] = [10, 13];

function lastOf(traits: number, codePoint: number): number {
  if (codePoint === RETURN) return LAST.return;
  if (has(traits, TRAITS.control)) return LAST.control;
  if (has(traits, TRAITS.leads)) return LAST.leads;
  if (has(traits, TRAITS.beforeFirst)) return LAST.first;
  if (has(traits, TRAITS.beforeVowel)) return LAST.vowel;
  return has(traits, TRAITS.beforeLast) ? LAST.last : LAST.other;
}

/** What would join a grapheme that is not complete as it is: the second half of a flag, what a joiner waits for. */
function openAfter(open: number, traits: number): number {
  if (has(traits, TRAITS.flag)) return open === OPEN.flag ? OPEN.nothing : OPEN.flag;
  if (has(traits, TRAITS.picture)) return OPEN.picture;
  if (has(traits, TRAITS.consonant)) return OPEN.consonant;
  if (!has(traits, TRAITS.joins)) return OPEN.nothing;
  if (open === OPEN.picture && has(traits, TRAITS.joinsPictures)) return OPEN.pictures;
  if (open === OPEN.picture && has(traits, TRAITS.keepsPicture)) return OPEN.picture;
  if (open !== OPEN.consonant && open !== OPEN.consonants) return OPEN.nothing;
  if (has(traits, TRAITS.linksConsonants)) return OPEN.consonants;
  return has(traits, TRAITS.keepsConsonant) ? open : OPEN.nothing;
}

const has = (traits: number, trait: number): boolean => (traits & trait) !== 0;

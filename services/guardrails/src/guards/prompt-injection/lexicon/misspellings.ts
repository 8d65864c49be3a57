// Recognizes words with shuffled letters or without vowels: "insrtuctoins", "nstrctns".
import type { LexiconEntry } from './entry.ts';

const plain = /^[a-z]+$/;
/** Minimum length of a shuffled word. Shorter words resemble too many others. */
const MIN_SHUFFLED = 6;
const MAX_SHUFFLED = 16;
/** Minimum number of consonants of a word without vowels. Fewer form other abbreviations. */
const MIN_CONSONANTS = 3;

export function createMisspellings(
  words: ReadonlyMap<string, LexiconEntry>,
): (word: string) => LexiconEntry | undefined {
  const shuffled = new Map<number, { letters: string; entry: LexiconEntry }>();
  const voweless = new Map<string, LexiconEntry>();
  for (const [word, entry] of words) {
    if (entry.classes.size === 0 || !plain.test(word)) continue;
    if (word.length >= MIN_SHUFFLED) shuffled.set(computeSignature(word), { letters: sortLetters(word), entry });
    const consonants = word.replace(/[aeiou]/g, '');
    if (consonants.length >= MIN_CONSONANTS && consonants !== word) voweless.set(consonants, entry);
  }
  return (word) => {
    if (word.length < MIN_CONSONANTS || word.length > MAX_SHUFFLED) return undefined;
    const near = word.length >= MIN_SHUFFLED ? shuffled.get(computeSignature(word)) : undefined;
    return near && near.letters === sortLetters(word) ? near.entry : voweless.get(word);
  };
}

const sortLetters = (word: string): string => Array.from(word).toSorted().join('');

/** Computes a signature that words with the same ends and the same letters between them share, and others rarely do. */
function computeSignature(word: string): number {
  const last = word.length - 1;
  let sum = word.charCodeAt(0) * 31 + word.charCodeAt(last);
  for (let at = 1; at < last; at++) sum += (word.charCodeAt(at) ** 3 * 2_654_435_761) % 4_294_967_291;
  return sum;
}

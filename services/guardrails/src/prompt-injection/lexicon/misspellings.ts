// Words that are read though their letters are not in order, or their vowels are gone: "insrtuctoins", "nstrctns".
import type { Entry } from './entry.ts';

const plain = /^[a-z]+$/;
/** Shorter words have too many neighbours that are words themselves. */
const MIN_SHUFFLED = 6;
const MAX_SHUFFLED = 16;
/** What is left of a word without its vowels; fewer consonants are abbreviations of something. */
const MIN_CONSONANTS = 3;

export function createMisspellings(words: ReadonlyMap<string, Entry>): (word: string) => Entry | undefined {
  const shuffled = new Map<number, { letters: string; entry: Entry }>();
  const voweless = new Map<string, Entry>();
  for (const [word, entry] of words) {
    if (entry.classes.size === 0 || !plain.test(word)) continue;
    if (word.length >= MIN_SHUFFLED) shuffled.set(signatureOf(word), { letters: lettersOf(word), entry });
    const consonants = word.replace(/[aeiou]/g, '');
    if (consonants.length >= MIN_CONSONANTS && consonants !== word) voweless.set(consonants, entry);
  }
  return (word) => {
    if (word.length < MIN_CONSONANTS || word.length > MAX_SHUFFLED) return undefined;
    const near = word.length >= MIN_SHUFFLED ? shuffled.get(signatureOf(word)) : undefined;
    return near && near.letters === lettersOf(word) ? near.entry : voweless.get(word);
  };
}

const lettersOf = (word: string): string => Array.from(word).toSorted().join('');

/** The same for words with the same ends and the same letters between them, and hardly ever for others. */
function signatureOf(word: string): number {
  const last = word.length - 1;
  let sum = word.charCodeAt(0) * 31 + word.charCodeAt(last);
  for (let at = 1; at < last; at++) sum += (word.charCodeAt(at) ** 3 * 2_654_435_761) % 4_294_967_291;
  return sum;
}

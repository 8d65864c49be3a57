// Sentences and the words in them, as far as rules get without understanding any. English is what the rules know.
import { functionWords } from '../function-words.ts';

/** What is longer is not a sentence, and the patterns that look for things in one must not take for ever. */
const maxSentenceCharacters = 1_000;

export const sentencesOf = (text: string): string[] =>
  text
    .replaceAll('’', "'")
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim().slice(0, maxSentenceCharacters))
    .filter((sentence) => sentence !== '');

const opensQuestion =
  /^(?:and |so |but |ok |okay |please )?(?:who|what|whats|what's|where|when|which|why|how|do|does|did|is|are|am|was|were|can|could|would|will|have|has|tell me|remind me|show me|give me)\b/i;

export const isQuestion = (sentence: string): boolean => sentence.endsWith('?') || opensQuestion.test(sentence);

/** Somebody says something about themselves or theirs: what is worth remembering is nearly always said so. */
export const isFirstPerson = (sentence: string): boolean =>
  /\b(?:I|I'm|I've|my|mine|me|we|we're|our|us)\b/i.test(sentence.replace(/\b(?:tell|give|show) (?:me|us)\b/gi, ''));

/** The words that carry the content, cut to stems so that "parked" meets "park" and "boats" meets "boat". */
export const contentWords = (text: string): string[] =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter((word) => !functionWords.has(word))
    .map(stem);

function stem(word: string): string {
  for (const suffix of ['ings', 'ing', 'ed', 'es', 's']) {
    if (word.length - suffix.length >= 3 && word.endsWith(suffix)) return word.slice(0, -suffix.length);
  }
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}

/** "a", "a and b", "a, b and c". */
export const listed = (values: readonly string[]): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} and ${values.at(-1)}`;

/** The text in one line and at most `maxCharacters` long. */
export function shortened(text: string, maxCharacters: number): string {
  const points = Array.from(text.replaceAll(/\s+/g, ' ').trim());
  return points.length <= maxCharacters ? points.join('') : `${points.slice(0, maxCharacters - 1).join('')}…`;
}

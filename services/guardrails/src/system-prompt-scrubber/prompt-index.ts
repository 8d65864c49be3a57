// The system messages as what an answer is compared with: their words in order, and where any two of them follow one another.
import { GAP, plainWords } from './plain-words.ts';

export type PromptIndex = {
  words: readonly string[];
  /** Whether another word follows this one anywhere. */
  isFirst(word: string): boolean;
  /** Where the second of the two words stands. */
  positionsOf(first: string, second: string): readonly number[];
};

/** Of all system messages together, code units: what is beyond is not looked for. */
const MAX_PROMPT = 32_768;
/** A pair that is more frequent tells less. */
const MAX_POSITIONS = 8;

export function createPromptIndex(texts: readonly string[]): PromptIndex {
  const words: string[] = [];
  const positions = new Map<string, number[]>();
  const firsts = new Set<string>();
  let left = MAX_PROMPT;
  for (const text of texts) {
    for (const { text: word } of plainWords(text.slice(0, left), 0, true)) {
      const before = words.at(-1);
      if (before !== undefined && before !== GAP && word !== GAP) {
        firsts.add(before);
        note(positions, `${before} ${word}`, words.length);
      }
      words.push(word);
    }
    words.push(GAP);
    left -= Math.min(left, text.length);
  }
  return {
    words,
    isFirst: (word) => firsts.has(word),
    positionsOf: (first, second) => positions.get(`${first} ${second}`) ?? [],
  };
}

function note(positions: Map<string, number[]>, pair: string, at: number): void {
  const known = positions.get(pair);
  if (!known) positions.set(pair, [at]);
  else if (known.length < MAX_POSITIONS) known.push(at);
}

// Index of the system messages: their words in order, and the positions of each pair of consecutive words.
import { GAP, splitPlainWords } from './plain-words.ts';

export type PromptIndex = {
  words: readonly string[];
  /** Returns whether any word follows this one. */
  isFirst(word: string): boolean;
  /** Returns the positions of the second word of a pair. */
  findPositions(first: string, second: string): readonly number[];
};

/** Maximum length of all system messages together, in code units; the rest is not searched. */
const MAX_PROMPT = 32_768;
/** Maximum number of positions per pair, because frequent pairs are weak evidence. */
const MAX_POSITIONS = 8;

export function createPromptIndex(texts: readonly string[]): PromptIndex {
  const words: string[] = [];
  const positions = new Map<string, number[]>();
  const firsts = new Set<string>();
  let left = MAX_PROMPT;
  for (const text of texts) {
    for (const { text: word } of splitPlainWords(text.slice(0, left), 0, true)) {
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
    findPositions: (first, second) => positions.get(`${first} ${second}`) ?? [],
  };
}

function note(positions: Map<string, number[]>, pair: string, at: number): void {
  const known = positions.get(pair);
  if (!known) positions.set(pair, [at]);
  else if (known.length < MAX_POSITIONS) known.push(at);
}

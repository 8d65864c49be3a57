// Hash of a word of ASCII letters, digits and apostrophes, computed unit by unit where the word is in a text.

/** Hash of the empty word. */
export const EMPTY_HASH = 0x811c_9dc5;

/** Adds a unit, in the same way for both cases of a letter. */
export const addToHash = (hash: number, unit: number): number => Math.imul(hash ^ (unit | 32), 0x0100_0193);

export function hashWord(word: string): number {
  let hash = EMPTY_HASH;
  for (let at = 0; at < word.length; at++) hash = addToHash(hash, word.charCodeAt(at));
  return hash;
}

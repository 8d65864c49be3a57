// A disguise: the same attack in another form. Several texts are consecutive messages.
export type DisguiseForm = (text: string) => string | readonly string[];

/** Lists code points, so that a disguise splits no character. */
export const listCharacters = (text: string): string[] => Array.from(text);

/** Applies `change` to the letters of each word and keeps the text between words. */
export const mapWords = (text: string, change: (word: string) => string): string =>
  text.replaceAll(/[\p{L}\p{M}\p{N}]+/gu, change);

/** Inserts `mark` into the middle of each word with at least four letters. */
export const insertMark = (text: string, mark: string): string =>
  mapWords(text, (word) => {
    const letters = listCharacters(word);
    if (letters.length < 4) return word;
    const middle = Math.floor(letters.length / 2);
    return [...letters.slice(0, middle), mark, ...letters.slice(middle)].join('');
  });

/** Splits a text into pieces of at most `length` characters. */
export const splitText = (text: string, length: number): string[] =>
  text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];

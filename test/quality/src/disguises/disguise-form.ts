// What a disguise is: the same attack in another form. Several texts are messages that follow one another.
export type DisguiseForm = (text: string) => string | readonly string[];

/** Code points: what a disguise moves about stays whole. */
export const characters = (text: string): string[] => Array.from(text);

/** Words with `change` applied to the letters of each; what stands between them stays. */
export const eachWord = (text: string, change: (word: string) => string): string =>
  text.replaceAll(/[\p{L}\p{M}\p{N}]+/gu, change);

/** `mark` in the middle of every word of four letters or more. */
export const marked = (text: string, mark: string): string =>
  eachWord(text, (word) => {
    const letters = characters(word);
    if (letters.length < 4) return word;
    const middle = Math.floor(letters.length / 2);
    return [...letters.slice(0, middle), mark, ...letters.slice(middle)].join('');
  });

/** Stretches of at most so many characters. */
export const pieces = (text: string, length: number): string[] =>
  text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];

// Folds characters for comparison: NFKD without marks, lower case. Computes a character at its first use, and keeps it in a block of 256.
const BLOCK = 256;
const blocks = new Map<number, (string | undefined)[]>();
const dropped = /[\p{M}\p{Default_Ignorable_Code_Point}'`\u2018\u2019\u00b4]/gu;
const inWord = /[\p{L}\p{N}]/u;

/** Letters that NFKD does not decompose, mapped to their common transcription. */
const LATIN: Record<string, string> = { ß: 'ss', ø: 'o', đ: 'd', ð: 'd', ł: 'l', æ: 'ae', œ: 'oe', ı: 'i', þ: 'th' };

/** Folds one character to its letters and digits; to nothing if it is invisible; to a space if it separates words. */
export function foldCharacter(codePoint: number): string {
  const number = Math.floor(codePoint / BLOCK);
  const block = blocks.get(number) ?? createBlock(number);
  return (block[codePoint % BLOCK] ??= foldOne(String.fromCodePoint(codePoint)));
}

function createBlock(number: number): (string | undefined)[] {
  const block = Array.from<string | undefined>({ length: BLOCK });
  blocks.set(number, block);
  return block;
}

function foldOne(character: string): string {
  const plain = character.normalize('NFKD').replace(dropped, '').toLowerCase().replace(dropped, '');
  return Array.from(plain, (part) => LATIN[part] ?? (inWord.test(part) ? part : ' '))
    .join('')
    .replace(/ +/g, ' ');
}

export const foldWord = (text: string): string =>
  Array.from(text, (character) => foldCharacter(character.codePointAt(0) ?? 32)).join('');

// Folds characters for comparison: NFKD without marks, lower case. Computes a block of 256 at its first use.
const BLOCK = 256;
const blocks = new Map<number, readonly string[]>();
const dropped = /[\p{M}\p{Default_Ignorable_Code_Point}'`\u2018\u2019\u00b4]/gu;
const inWord = /[\p{L}\p{N}]/u;

/** Letters that NFKD does not decompose, mapped to their common transcription. */
const LATIN: Record<string, string> = { ß: 'ss', ø: 'o', đ: 'd', ð: 'd', ł: 'l', æ: 'ae', œ: 'oe', ı: 'i', þ: 'th' };

/** Folds one character to its letters and digits; to nothing if it is invisible; to a space if it separates words. */
export function foldCharacter(codePoint: number): string {
  const number = Math.floor(codePoint / BLOCK);
  let block = blocks.get(number);
  if (!block) {
    block = Array.from({ length: BLOCK }, (_, at) => foldOne(String.fromCodePoint(number * BLOCK + at)));
    blocks.set(number, block);
  }
  return block[codePoint % BLOCK] ?? ' ';
}

function foldOne(character: string): string {
  const plain = character.normalize('NFKD').replace(dropped, '').toLowerCase().replace(dropped, '');
  return Array.from(plain, (part) => LATIN[part] ?? (inWord.test(part) ? part : ' '))
    .join('')
    .replace(/ +/g, ' ');
}

export const foldWord = (text: string): string =>
  Array.from(text, (character) => foldCharacter(character.codePointAt(0) ?? 32)).join('');

// Characters as words are compared: NFKD without marks, lower case. Made for a block of 256 at a time, when one of them is met.
const BLOCK = 256;
const blocks = new Map<number, readonly string[]>();
const dropped = /[\p{M}\p{Default_Ignorable_Code_Point}'`\u2018\u2019\u00b4]/gu;
const inWord = /[\p{L}\p{N}]/u;

/** Letters that NFKD leaves whole, as people write them without their strokes. */
const LATIN: Record<string, string> = { ß: 'ss', ø: 'o', đ: 'd', ð: 'd', ł: 'l', æ: 'ae', œ: 'oe', ı: 'i', þ: 'th' };

/** One character in a word: its letters and digits; empty for what is invisible; a space for what parts words. */
export function foldCharacter(codePoint: number): string {
  const number = Math.floor(codePoint / BLOCK);
  let block = blocks.get(number);
  if (!block) {
    block = Array.from({ length: BLOCK }, (_, at) => folded(String.fromCodePoint(number * BLOCK + at)));
    blocks.set(number, block);
  }
  return block[codePoint % BLOCK] ?? ' ';
}

function folded(character: string): string {
  const plain = character.normalize('NFKD').replace(dropped, '').toLowerCase().replace(dropped, '');
  return Array.from(plain, (part) => LATIN[part] ?? (inWord.test(part) ? part : ' '))
    .join('')
    .replace(/ +/g, ' ');
}

export const foldWord = (text: string): string =>
  Array.from(text, (character) => foldCharacter(character.codePointAt(0) ?? 32)).join('');

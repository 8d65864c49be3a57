// Maps a character to its plain form: digits of any script and style to ASCII, letters of any font to letters, every
// kind of space and dash to one, invisible characters to nothing.

/** Ringed digits, for which Unicode has no plain form, by the first of each row. */
const RINGED: readonly (readonly [first: number, last: number, value: number])[] = [
  [0x24eb, 0x24f4, 11],
  [0x24f5, 0x24fe, 1],
  [0x24ff, 0x24ff, 0],
  [0x2776, 0x277f, 1],
  [0x2780, 0x2789, 1],
  [0x278a, 0x2793, 1],
];

const unseen = /^[\p{M}\p{Default_Ignorable_Code_Point}]$/u;
const space = /^[\p{Zs}\t\v\f]$/u;
const lineEnd = /^[\n\r\u0085\u2028\u2029]$/;
const dash = /^[\p{Pd}\u2212\u2043\u02d7]$/u;
const dot = /^[\u00b7\u2022\u2027\u2219\u22c5\u30fb\u3002\uff0e\uff61\u2024\u05f4]$/u;
const decimal = /^\p{Nd}$/u;
const plain = /^[\x20-\x7e]+$/;

/** Maximum number of cached characters; a text has few different ones. */
const MAX_KNOWN = 20_000;
const known = new Map<number, string>();

/** Returns an empty string for invisible characters. @param code a code point beyond ASCII */
export function toPlainCharacter(code: number): string {
  const before = known.get(code);
  if (before !== undefined) return before;
  const read = readCharacter(code);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(code, read);
  return read;
}

function readCharacter(code: number): string {
  const character = String.fromCodePoint(code);
  if (unseen.test(character)) return '';
  if (lineEnd.test(character)) return '\n';
  if (space.test(character)) return ' ';
  if (dash.test(character)) return '-';
  if (dot.test(character)) return '.';
  const row = RINGED.find(([first, last]) => code >= first && code <= last);
  if (row) return String(code - row[0] + row[2]);
  const compatible = character.normalize('NFKC');
  if (plain.test(compatible)) return compatible.replace(/^\((.+)\)$/, '$1');
  return decimal.test(character) ? String(readDecimal(code)) : character;
}

/** Reads a digit by its place in a row of ten; adjacent rows have a plain form. */
function readDecimal(code: number): number {
  let first = code;
  while (decimal.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}

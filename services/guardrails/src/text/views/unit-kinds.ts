// Classifies the code units of a text, as a bit for each kind, so that a pass over a text compares numbers.

export const UNIT = {
  LETTER: 1,
  DIGIT: 2,
  /** Signs that replace letters. */
  STAND_IN: 4,
  /** Signs inside of a disguised word. */
  SIGN: 8,
  HEX: 16,
  /** White space and separators of codes. */
  BETWEEN: 32,
  CAPITAL: 128,
  /** Characters of base64. */
  CODE: 256,
  PLUS: 512,
  /** A picture, or a part of a character with two units. */
  UNUSUAL: 1024,
  BEYOND_ASCII: 2048,
  /** A small letter of ASCII. */
  SMALL: 4096,
  /** A sign that may be an apostrophe. */
  QUOTE: 8192,
  /** A letter beyond ASCII that equals a Latin letter without regard to case. */
  LATIN_TWIN: 16_384,
  /** A letter, a digit, or a sign that replaces a letter. */
  TOKEN: 1 | 2 | 4,
} as const;

const kinds = new Uint16Array(65_536);
const addKind = (characters: string, kind: number): void => {
  for (const character of characters) {
    const unit = character.charCodeAt(0);
    kinds[unit] = (kinds[unit] ?? 0) | kind;
  }
};
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
addKind(CAPITALS + CAPITALS.toLowerCase(), UNIT.LETTER);
addKind(CAPITALS, UNIT.CAPITAL);
addKind(CAPITALS.toLowerCase(), UNIT.SMALL);
addKind('0123456789', UNIT.DIGIT);
addKind('@$!|', UNIT.STAND_IN);
addKind('+', UNIT.PLUS);
addKind(`${CAPITALS}${CAPITALS.toLowerCase()}0123456789_+/-`, UNIT.CODE);
addKind('*_~`^|\\/+=:;,#-.\n', UNIT.SIGN);
addKind('0123456789abcdefABCDEF', UNIT.HEX);
addKind(' \t\n\r\v\f,;:.-|/\\x', UNIT.BETWEEN);
addKind("'`", UNIT.QUOTE);

const letter = /[\p{L}\p{N}]/u;
/** Dashes and dots. */
const inner = /[\u00b7\u2010-\u2015\u2022\u2027\u2212]/;
/** Punctuation of ordinary text. */
const ordinary = /[\u00a0\u00a7\u00a9\u00ab\u00ae\u00bb\u2018-\u201f\u2026\u2039\u203a\u20ac]/;

/** Long s and the Kelvin sign. */
const LATIN_TWINS = new Set(['\u017f', '\u212a']);

function classifyBeyond(unit: number): number {
  const character = String.fromCharCode(unit);
  if (LATIN_TWINS.has(character)) return UNIT.LETTER | UNIT.LATIN_TWIN;
  if (letter.test(character)) return UNIT.LETTER;
  if (inner.test(character)) return UNIT.SIGN | UNIT.BETWEEN;
  return ordinary.test(character) ? UNIT.BETWEEN : UNIT.UNUSUAL;
}

/** Most texts are short, and are written to the same buffer, because creating a buffer takes longer than the copy. */
const shortUnits = new Uint16Array(16_384);
const shortBuffer = Buffer.from(shortUnits.buffer);

/** Returns the units of a text, because an array is read faster than a string. */
export function readUnits(text: string): Uint16Array {
  if (text.length <= shortUnits.length) {
    shortBuffer.write(text, 'utf16le');
    return shortUnits.slice(0, text.length);
  }
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}

/** `kinds`: those of each unit, and 0 at the end. `seen`: all kinds in the text. */
export type ClassifiedUnits = { kinds: Uint16Array; seen: number };

/** Units beyond ASCII are classified at their first use. */
export function classifyUnits(units: Uint16Array): ClassifiedUnits {
  const found = new Uint16Array(units.length + 1);
  let seen = 0;
  for (let at = 0; at < units.length; at++) {
    const unit = units[at] ?? 0;
    let kind = kinds[unit] ?? 0;
    if (kind === 0 && unit > 127) {
      kind = classifyBeyond(unit) | UNIT.BEYOND_ASCII;
      kinds[unit] = kind;
    }
    found[at] = kind;
    seen |= kind;
  }
  return { kinds: found, seen };
}

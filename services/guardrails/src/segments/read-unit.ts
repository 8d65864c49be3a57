// Reads a text in units: an escape, an entity or a surrogate pair is one unit. The end of a unit does not depend on
// text before its start, so reading can start at any unit.
import { toPlainCharacter } from './plain-character.ts';

/**
 * `plain`: plain form, usually one character, empty for invisible ones. `length`: length in the text, in code units.
 */
export type TextUnit = { plain: string; length: number };

const AMPERSAND = 38;
const PERCENT = 37;
const BACKSLASH = 92;
/** All characters except `&`, `%`, `\` and those beyond ASCII are units of their own and plain. */
export const isPlainCode = (code: number): boolean =>
  code < 0x80 && code !== AMPERSAND && code !== PERCENT && code !== BACKSLASH;
// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
export const notPlain = /[^\x00-\x7f]|[&%\\]/;

const entity = /&(?:#0{0,5}(\d{1,7})|#x0{0,5}([0-9a-f]{1,6})|([a-z]{2,8}));?/iy;
const percent = /%([2-7][0-9a-f])/iy;
/** More than one backslash: JSON in JSON. */
const escape =
  /\\{1,8}(?:u(?:\{0{0,4}([0-9a-f]{1,6})\}|([0-9a-f]{4})(?:\\{1,8}u([0-9a-f]{4}))?)|x([0-9a-f]{2})|([nrt])|([!-/:-@[\]-`{-~]))|\\{1,8}/iy;
/** Upper bound of a unit's length, in code units. */
const MAX_UNIT = 40;
/** Start of a code that the end of the text cuts off, or may cut off. */
const mayGoOn = /^(?:&#?x?[0-9a-z]{0,12}|%[0-9a-f]?|\\{1,8}(?:[ux]\{?[0-9a-f]{0,10}(?:\\{1,8}u?[0-9a-f]{0,4})?)?)$/i;

const NAMED = new Map(
  Object.entries({ commat: '@', period: '.', nbsp: ' ', num: '#', hyphen: '-', dash: '-', plus: '+', colon: ':' })
    .concat(Object.entries({ sol: '/', lpar: '(', rpar: ')', lowbar: '_', ensp: ' ', emsp: ' ', thinsp: ' ', shy: '' }))
    .concat(Object.entries({ amp: '&', quot: '"', apos: "'", equals: '=', lt: '<', gt: '>', newline: '\n', tab: ' ' })),
);

/**
 * Returns the unit at `at`, or undefined if it may continue beyond the text. @param isWhole nothing follows the text
 */
export function readUnitAt(text: string, at: number, isWhole: boolean): TextUnit | undefined {
  const code = text.charCodeAt(at);
  if (isPlainCode(code)) return { plain: text.charAt(at), length: 1 };
  if (code >= 0x80) return readBeyondAscii(text, at, code, isWhole);
  if (!isWhole && text.length - at <= MAX_UNIT && mayGoOn.test(text.slice(at))) return undefined;
  return readCodedUnit(text, at, code);
}

function readBeyondAscii(text: string, at: number, code: number, isWhole: boolean): TextUnit | undefined {
  if (code < 0xd800 || code > 0xdbff) return { plain: toPlainCharacter(code), length: 1 };
  if (at + 1 >= text.length && !isWhole) return undefined;
  const whole = text.codePointAt(at) ?? code;
  return whole === code ? { plain: '\ufffd', length: 1 } : { plain: toPlainCharacter(whole), length: 2 };
}

function readCodedUnit(text: string, at: number, code: number): TextUnit {
  const pattern = code === AMPERSAND ? entity : code === PERCENT ? percent : escape;
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (!match) return { plain: text.charAt(at), length: 1 };
  const length = match[0].length;
  if (code === AMPERSAND) return readEntity(match, length);
  if (code === PERCENT) return { plain: toCharacter(Number.parseInt(match[1] ?? '', 16)), length };
  return readEscape(match, length);
}

function readEntity(match: RegExpExecArray, length: number): TextUnit {
  const [, decimal, hex, name] = match;
  if (name !== undefined) {
    const plain = NAMED.get(name.toLowerCase());
    return plain === undefined ? { plain: '&', length: 1 } : { plain, length };
  }
  return { plain: toCharacter(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)), length };
}

function readEscape(match: RegExpExecArray, length: number): TextUnit {
  const [found, braced, four, low, byte, white, sign] = match;
  if (white !== undefined) return { plain: white.toLowerCase() === 't' ? ' ' : '\n', length };
  if (sign !== undefined) return { plain: sign, length };
  const code = braced ?? four ?? byte;
  if (code === undefined) return { plain: '\\', length };
  const first = Number.parseInt(code, 16);
  if (low === undefined) return { plain: toCharacter(first), length };
  const second = Number.parseInt(low, 16);
  const isPair = first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
  if (isPair) return { plain: toCharacter(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), length };
  // Two characters, one after the other: the second is a unit of its own.
  return { plain: toCharacter(first), length: found.replace(/\\+u[0-9a-f]{4}$/i, '').length };
}

function toCharacter(code: number): string {
  if (code < 0x20) return code === 10 || code === 13 ? '\n' : code === 9 ? ' ' : '';
  if (code < 0x7f) return String.fromCharCode(code);
  return code <= 0x10ffff ? toPlainCharacter(code) : '\ufffd';
}

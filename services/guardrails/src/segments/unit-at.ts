// The units of a text: what is written as one (an escape, an entity, a surrogate pair) is one. Where a unit ends depends on
// nothing before its start, so that a text can be read from any unit on.
import { plainCharacter } from './plain-character.ts';

/** `plain`: as detectors read it, often one character, none for what cannot be seen. `length`: as written, code units. */
export type Unit = { plain: string; length: number };

const AMPERSAND = 38;
const PERCENT = 37;
const BACKSLASH = 92;
/** Of `&`, `%`, `\` and what is beyond ASCII. All other characters are units of their own, and plain. */
export const isPlainCode = (code: number): boolean =>
  code < 0x80 && code !== AMPERSAND && code !== PERCENT && code !== BACKSLASH;
// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
export const notPlain = /[^\x00-\x7f]|[&%\\]/;

const entity = /&(?:#0{0,5}(\d{1,7})|#x0{0,5}([0-9a-f]{1,6})|([a-z]{2,8}));?/iy;
const percent = /%([2-7][0-9a-f])/iy;
/** Backslashes more than one: JSON in JSON. */
const escape =
  /\\{1,8}(?:u(?:\{0{0,4}([0-9a-f]{1,6})\}|([0-9a-f]{4})(?:\\{1,8}u([0-9a-f]{4}))?)|x([0-9a-f]{2})|([nrt])|([!-/:-@[\]-`{-~]))|\\{1,8}/iy;
/** More than the longest of them, code units. */
const MAX_UNIT = 40;
/** The beginning of a code that is cut off where the text ends, or might be. */
const mayGoOn = /^(?:&#?x?[0-9a-z]{0,12}|%[0-9a-f]?|\\{1,8}(?:[ux]\{?[0-9a-f]{0,10}(?:\\{1,8}u?[0-9a-f]{0,4})?)?)$/i;

const NAMED = new Map(
  Object.entries({ commat: '@', period: '.', nbsp: ' ', num: '#', hyphen: '-', dash: '-', plus: '+', colon: ':' })
    .concat(Object.entries({ sol: '/', lpar: '(', rpar: ')', lowbar: '_', ensp: ' ', emsp: ' ', thinsp: ' ', shy: '' }))
    .concat(Object.entries({ amp: '&', quot: '"', apos: "'", equals: '=', lt: '<', gt: '>', newline: '\n', tab: ' ' })),
);

/** The unit at `at`; undefined while it may go on beyond the text. @param isWhole nothing follows the text */
export function unitAt(text: string, at: number, isWhole: boolean): Unit | undefined {
  const code = text.charCodeAt(at);
  if (isPlainCode(code)) return { plain: text.charAt(at), length: 1 };
  if (code >= 0x80) return beyondAscii(text, at, code, isWhole);
  if (!isWhole && text.length - at <= MAX_UNIT && mayGoOn.test(text.slice(at))) return undefined;
  return coded(text, at, code);
}

function beyondAscii(text: string, at: number, code: number, isWhole: boolean): Unit | undefined {
  if (code < 0xd800 || code > 0xdbff) return { plain: plainCharacter(code), length: 1 };
  if (at + 1 >= text.length && !isWhole) return undefined;
  const whole = text.codePointAt(at) ?? code;
  return whole === code ? { plain: '\ufffd', length: 1 } : { plain: plainCharacter(whole), length: 2 };
}

function coded(text: string, at: number, code: number): Unit {
  const pattern = code === AMPERSAND ? entity : code === PERCENT ? percent : escape;
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (!match) return { plain: text.charAt(at), length: 1 };
  const length = match[0].length;
  if (code === AMPERSAND) return entityOf(match, length);
  if (code === PERCENT) return { plain: ofCode(Number.parseInt(match[1] ?? '', 16)), length };
  return escapeOf(match, length);
}

function entityOf(match: RegExpExecArray, length: number): Unit {
  const [, decimal, hex, name] = match;
  if (name !== undefined) {
    const plain = NAMED.get(name.toLowerCase());
    return plain === undefined ? { plain: '&', length: 1 } : { plain, length };
  }
  return { plain: ofCode(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)), length };
}

function escapeOf(match: RegExpExecArray, length: number): Unit {
  const [found, braced, four, low, byte, white, sign] = match;
  if (white !== undefined) return { plain: white.toLowerCase() === 't' ? ' ' : '\n', length };
  if (sign !== undefined) return { plain: sign, length };
  const code = braced ?? four ?? byte;
  if (code === undefined) return { plain: '\\', length };
  const first = Number.parseInt(code, 16);
  if (low === undefined) return { plain: ofCode(first), length };
  const second = Number.parseInt(low, 16);
  const isPair = first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
  if (isPair) return { plain: ofCode(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), length };
  // Two characters, one after the other: the second is a unit of its own.
  return { plain: ofCode(first), length: found.replace(/\\+u[0-9a-f]{4}$/i, '').length };
}

function ofCode(code: number): string {
  if (code < 0x20) return code === 10 || code === 13 ? '\n' : code === 9 ? ' ' : '';
  if (code < 0x7f) return String.fromCharCode(code);
  return code <= 0x10ffff ? plainCharacter(code) : '\ufffd';
}

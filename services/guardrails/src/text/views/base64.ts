// Decodes base 64, also in pieces and with a prefix. Identifiers of programs look coded too, so bytes are judged before a text is made of
// them.
import type { TextSpan } from '../span.ts';
import { joinStretches, type DerivedText, type Stretch } from './derived-text.ts';
import type { ScannedText } from './scanned-text.ts';
import { UNIT } from './unit-kinds.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const NONE = 64;
/** Value of a unit, or NONE. */
const VALUES = Uint8Array.from({ length: 128 }, (_, unit) => {
  const at = ALPHABET.indexOf(String.fromCharCode(unit).replace('-', '+').replace('_', '/'));
  return at < 0 ? NONE : at;
});

export function* decodeBase64Words({ text, kinds }: ScannedText): Generator<[code: string, derived: DerivedText]> {
  const legible: Stretch[] = [];
  for (const span of findBase64Runs(text, kinds)) {
    const run = text.slice(span.start, span.end);
    const decoded = mayHoldText(run) ? decodeRun(run) : '';
    if (decoded !== '') legible.push({ text: decoded, span });
  }
  if (legible.length > 0) yield ['base64', joinStretches(legible, '\n')];
}

/** Minimum length of coded text, in code units: 12 bytes hold no sentence, but adjacent pieces may. */
const MIN_CODED = 16;
const MIN_WORD = 3;
const MAX_BETWEEN = 8;
const EQUALS = 61;
const MAX_PADDING = 2;

/** `near`: end of the last word that may belong to the run. */
type Base64Run = TextSpan & { length: number; near: number };

/** Finds long words in the alphabet of base 64, or words that look coded, separated only by signs. */
function findBase64Runs(text: string, kinds: Uint16Array): TextSpan[] {
  const runs: Base64Run[] = [];
  for (let at = 0; at < text.length; at++) {
    const start = at;
    let seen = 0;
    for (let kind = kinds[at] ?? 0; (kind & UNIT.CODE) !== 0; kind = kinds[at] ?? 0) {
      seen |= kind;
      at += 1;
    }
    if (at - start < MIN_WORD) continue;
    const end = at;
    while (at - end < MAX_PADDING && text.charCodeAt(at) === EQUALS) at += 1;
    const mayBeCoded = (seen & (UNIT.CAPITAL | UNIT.DIGIT)) !== 0;
    addToRuns(runs, start, at, at - start >= MIN_CODED || (mayBeCoded && isCoded(kinds, start, end)));
    at -= 1;
  }
  return runs.filter(({ length }) => length >= MIN_CODED);
}

function addToRuns(runs: Base64Run[], start: number, end: number, isPiece: boolean): void {
  const last = runs.at(-1);
  const continues = last !== undefined && start - last.near <= MAX_BETWEEN;
  if (isPiece && continues) {
    last.end = end;
    last.near = end;
    last.length += end - start;
  } else if (isPiece) runs.push({ start, end, near: end, length: end - start });
  // A short piece may look like a word if the next one looks coded.
  else if (continues && last.near === last.end) last.near = end;
}

/** Returns whether capitals or digits are inside of a word, which ordinary words do not have. */
function isCoded(kinds: Uint16Array, start: number, end: number): boolean {
  let [first, before] = [0, 0];
  for (let at = start; at < end; at++) {
    const here = kinds[at] ?? 0;
    const isAfterCapitals = (first & before & UNIT.CAPITAL) !== 0;
    if ((here & UNIT.CAPITAL) !== 0 && (before & (UNIT.SMALL | UNIT.DIGIT)) !== 0) return true;
    if ((here & UNIT.DIGIT) !== 0 && (before & UNIT.LETTER) !== 0) return true;
    if ((here & UNIT.SMALL) !== 0 && isAfterCapitals) return true;
    first = before;
    before = here;
  }
  return false;
}

/** Most runs are short, and share these arrays. */
const SHORT_RUN = 1_024;
const shortLetters = new Uint8Array(SHORT_RUN);
const shortBytes = new Uint8Array(SHORT_RUN);

/** Returns whether a reading of the run, from one of the first four letters on, has readable bytes. May return true without them. */
export function mayHoldText(run: string): boolean {
  const letters = run.length <= SHORT_RUN ? shortLetters : new Uint8Array(run.length);
  let count = 0;
  for (let at = 0; at < run.length; at++) {
    const unit = run.charCodeAt(at);
    // The decoder decides what follows padding.
    if (unit === EQUALS && at < run.length - MAX_PADDING) return true;
    const value = VALUES[unit] ?? NONE;
    if (value === NONE) continue;
    letters[count] = value;
    count += 1;
  }
  const bytes = count <= SHORT_RUN ? shortBytes : new Uint8Array((count * 3) >>> 2);
  for (let from = 0; from < 4; from++) {
    if (hasReadableBytes(bytes, readBytes(letters, from, count, bytes))) return true;
  }
  return false;
}

/** Writes the bytes of the letters, and returns their number. */
function readBytes(letters: Uint8Array, from: number, to: number, bytes: Uint8Array): number {
  let [held, bits, length] = [0, 0, 0];
  for (let at = from; at < to; at++) {
    held = ((held << 6) | (letters[at] ?? 0)) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length] = held >>> bits;
    length += 1;
  }
  return length;
}

/** Decodes each piece, and all of them joined if the text was split. Returns an empty text if nothing is readable. */
export function decodeRun(run: string): string {
  const parts = run.split(/[^\w+/=-]+/);
  const joined = alignRun(parts.join('').replaceAll('=', ''));
  return (parts.length === 1 ? [joined] : [...parts.map(readBase64), joined]).filter((text) => text !== '').join('\n');
}

/**
 * Decodes from the first unit, or from one of the next if only that is legible, because a prefix shifts all that
 * follows.
 */
function alignRun(run: string): string {
  const whole = readBase64(run);
  if (isLegible(whole)) return whole;
  return [1, 2, 3].map((from) => readBase64(run.slice(from))).find(isLegible) ?? whole;
}

/** Returns an empty text if the bytes are not readable, which most are, before a text is made of them. */
function readBase64(run: string): string {
  const bytes = Buffer.from(run, 'base64');
  return hasReadableBytes(bytes, bytes.length) ? bytes.toString('utf8') : '';
}

const MIN_READABLE = 8;
/** Returns whether enough printable characters follow each other; a character beyond ASCII counts if its bytes are valid. */
function hasReadableBytes(bytes: Uint8Array, length: number): boolean {
  let count = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    const more = byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    const isWhole = more > 0 && at + more < length && areContinuations(bytes, at + 1, at + more);
    count = (byte >= 0x20 && byte < 0x7f) || byte === 10 || isWhole ? count + 1 : 0;
    if (count >= MIN_READABLE) return true;
    if (isWhole) at += more;
  }
  return false;
}

function areContinuations(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at <= to; at++) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return false;
  return true;
}

const SAMPLE = 200;
/** Returns whether most characters of the start are common. */
function isLegible(text: string): boolean {
  if (text.length < 8) return false;
  const beginning = text.slice(0, SAMPLE);
  const most = beginning.length / 20;
  let others = 0;
  for (const character of beginning) {
    if (!isWritten(character)) others += character.length;
    if (others >= most) return false;
  }
  return true;
}
const written = /[\p{L}\p{N}\p{P}\p{Zs}\n]/u;
const ASCII_WRITTEN = Array.from({ length: 128 }, (_, unit) => written.test(String.fromCharCode(unit)));
const isWritten = (character: string): boolean =>
  ASCII_WRITTEN[character.charCodeAt(0)] ?? (character !== '\ufffd' && written.test(character));

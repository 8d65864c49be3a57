// Decodes every candidate of each encoding in a text. All candidates of one encoding form one text.
import { findMatches } from '../find-matches.ts';
import type { TextSpan } from '../span.ts';
import { decodeBase32, decodeBase85 } from './base-codes.ts';
import { joinStretches, type DerivedText } from './derived-text.ts';
import { createLetterTable, replaceLetters } from './letter-table.ts';
import type { TextMarks } from './survey.ts';
import { decodeAlphabetWords, decodeBraille, decodeMorse, decodeNatoWords, decodePigLatin } from './spellings.ts';

type Stretch = { text: string; span: TextSpan };
/** `mark`: must be in the text. */
type Decoder = {
  code: string;
  mark(marks: TextMarks, text: string): boolean;
  pattern: RegExp;
  decode(found: string): string;
};

/** Minimum legible run of decoded text. Long words and paths decode to noise without such runs. */
const readable = /[\x20-\x7e\n\p{L}]{8}/u;
const fromHex = (digits: string): string => Buffer.from(digits, 'hex').toString('utf8');
/** Reads values as UTF-8 bytes if all of them are bytes, otherwise as code points. */
function toText(codes: readonly number[]): string {
  if (codes.some((code) => code < 9 || code > 0x10ffff)) return '';
  const bytes = codes.every((code) => code < 256) ? Buffer.from(codes).toString('utf8') : '\ufffd';
  return bytes.includes('\ufffd') ? codes.map((code) => String.fromCodePoint(code)).join('') : bytes;
}
const readNumbers = (text: string, pattern: RegExp, base: number): number[] =>
  (text.match(pattern) ?? []).map((digits) => Number.parseInt(digits, base));

/** Bounds a run if its bytes are created at once. Most characters of a run decode to themselves. */
const DECODERS: readonly Decoder[] = [
  {
    code: 'hex',
    mark: (marks) => marks.hex,
    pattern: /(?:(?:0x)?[0-9a-f]{2}[\s:,.-]{0,2}){8,}/gi,
    decode: (found) => fromHex(found.replace(/0x|[^0-9a-f]/gi, '')),
  },
  {
    code: 'base32',
    mark: (marks) => marks.base32,
    pattern: /[A-Z2-7]{16,}={0,6}/g,
    decode: (found) => decodeBase32(found),
  },
  {
    code: 'base32',
    mark: (marks) => marks.base32,
    pattern: /\b[a-z2-7]{24,}={0,6}/g,
    decode: (found) => (/[2-7]/.test(found) ? decodeBase32(found.toUpperCase()) : ''),
  },
  {
    code: 'base85',
    mark: (_, text) => text.includes('<~'),
    pattern: /<~[!-u\s]{10,20000}~>/g,
    decode: (found) => decodeBase85(found),
  },
  {
    code: 'binary',
    mark: (marks) => marks.numbers,
    pattern: /(?:\b[01]{7,8}\b[\s,.-]{0,2}){8,}|[01]{64,}/g,
    decode: (found) => toText(readNumbers(found, /\s/.test(found) ? /[01]{7,8}/g : /[01]{8}/g, 2)),
  },
  {
    code: 'decimal',
    mark: (marks) => marks.numbers,
    pattern: /(?:\b\d{2,3}\b[\s,;.-]{1,2}){8,}\d{2,3}/g,
    decode: (found) => toText(readNumbers(found, /\d+/g, 10)),
  },
  {
    code: 'octal',
    mark: (marks) => marks.numbers,
    pattern: /(?:\b0?[0-7]{2,3}\b[\s,\\]{1,2}){8,}[0-7]{2,3}/g,
    decode: (found) => toText(readNumbers(found, /[0-7]+/g, 8)),
  },
  {
    code: 'numbered letters',
    mark: (marks) => marks.numbers,
    pattern: /(?:\b(?:1\d|2[0-6]|[1-9])\b[\s,.|/-]{1,3}){10,}\d{1,2}/g,
    decode: decodeAlphabetWords,
  },
  {
    code: 'morse',
    mark: (marks) => marks.morse,
    pattern: /(?:[.\u00b7\u2022_\u2212\u2013\u2014-]{1,6}[ /|]{1,3}){6,}[.\u00b7\u2022_\u2212\u2013\u2014-]{1,6}/g,
    decode: decodeMorse,
  },
  {
    code: 'braille',
    mark: (marks) => !marks.isAscii,
    pattern: /[\u2800-\u28ff][\u2800-\u28ff\s]{6,}/g,
    decode: decodeBraille,
  },
  {
    code: 'spelling alphabet',
    mark: (marks) => marks.radioWords,
    pattern: /\b(?:[A-Za-z]{4,8}|x-ray)(?:[\s,-]{1,3}(?:[A-Za-z]{4,8}|x-ray|\(space\)|space)){7,}/gi,
    decode: decodeNatoWords,
  },
  {
    code: 'pig latin',
    mark: (marks) => marks.pigLatin,
    pattern: /\b[a-z'-]{1,18}ay\b(?:[\s,.!?:;]{1,3}[a-z'-]{1,18}ay\b){2,}/gi,
    decode: decodePigLatin,
  },
];

export function* decodeText(text: string, marks: TextMarks): Generator<[code: string, derived: DerivedText]> {
  if (marks.codedWords) yield* decodeBase64Words(text);
  for (const { code, mark, pattern, decode } of DECODERS) {
    if (!mark(marks, text)) continue;
    const stretches: Stretch[] = [];
    for (const { 0: found, index } of findMatches(text, pattern)) {
      const decoded = decode(found);
      if (readable.test(decoded)) stretches.push({ text: decoded, span: { start: index, end: index + found.length } });
    }
    if (stretches.length > 0) yield [code, joinStretches(stretches, '\n')];
  }
}

function* decodeBase64Words(text: string): Generator<[code: string, derived: DerivedText]> {
  const legible: Stretch[] = [];
  const shifted: Stretch[] = [];
  for (const span of findBase64Runs(text)) {
    const run = text.slice(span.start, span.end);
    const plain = decodeBase64Run(run);
    if (plain !== '') legible.push({ text: plain, span });
    else {
      const moved = decodeBase64Run(decodeRot13(run));
      if (moved !== '') shifted.push({ text: moved, span });
    }
  }
  if (legible.length > 0) yield ['base64', joinStretches(legible, '\n')];
  if (shifted.length > 0) yield ['shifted base64', joinStretches(shifted, '\n')];
}

/** Minimum length of coded text, in code units: 12 bytes hold no sentence, but adjacent pieces may. */
const MIN_CODED = 16;
const MAX_BETWEEN = 8;
const codedWord = /[\w+/-]{3,}={0,2}/g;

/** Finds long words in the alphabet of base64, or words that look coded, separated only by signs. */
function findBase64Runs(text: string): TextSpan[] {
  const runs: (TextSpan & { length: number; near: number })[] = [];
  for (const { 0: word, index } of findMatches(text, codedWord)) {
    const isPiece = word.length >= MIN_CODED || isCoded(word);
    const last = runs.at(-1);
    const end = index + word.length;
    const goesOn = last !== undefined && index - last.near <= MAX_BETWEEN;
    if (isPiece && goesOn) Object.assign(last, { end, near: end, length: last.length + word.length });
    else if (isPiece) runs.push({ start: index, end, near: end, length: word.length });
    // A short piece may look like a word if the next one looks coded.
    else if (goesOn && last.near === last.end) last.near = end;
  }
  return runs.filter(({ length }) => length >= MIN_CODED);
}

/** Capitals and digits inside of a word, which ordinary words do not have. */
const isCoded = (word: string): boolean => /[a-z0-9][A-Z]|[A-Za-z]\d|[A-Z]{2}[a-z]/.test(word);

/** Decodes each piece, and all of them joined if the text was split. Returns an empty text if nothing is readable. */
function decodeBase64Run(run: string): string {
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
  return hasReadableBytes(bytes) ? bytes.toString('utf8') : '';
}

const MIN_READABLE = 8;
/** Returns whether enough printable characters follow each other; a character beyond ASCII counts if its bytes are valid. */
function hasReadableBytes(bytes: Uint8Array): boolean {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const more = byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    const isWhole = more > 0 && areContinuations(bytes, at + 1, at + more);
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

const ROT13 = createLetterTable((letter) => (letter + 13) % 26);
const decodeRot13 = (text: string): string => replaceLetters(text, ROT13);

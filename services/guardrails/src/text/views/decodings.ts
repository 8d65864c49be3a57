// Decodes every candidate of each encoding in a text. All candidates of one encoding form one text.
import { findMatches } from '../find-matches.ts';
import { decodeBase64Words } from './base64.ts';
import { joinStretches, type DerivedText, type Stretch } from './derived-text.ts';
import type { ScannedText } from './scanned-text.ts';
import type { TextMarks } from './survey.ts';

/** `mark`: must be in the text. */
type Decoder = {
  code: string;
  mark(marks: TextMarks): boolean;
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
];

export function* decodeText(scanned: ScannedText, marks: TextMarks): Generator<[code: string, derived: DerivedText]> {
  const { text } = scanned;
  if (marks.codedWords) yield* decodeBase64Words(scanned);
  for (const { code, mark, pattern, decode } of DECODERS) {
    if (!mark(marks)) continue;
    const stretches: Stretch[] = [];
    for (const { 0: found, index } of findMatches(text, pattern)) {
      const decoded = decode(found);
      if (readable.test(decoded)) stretches.push({ text: decoded, span: { start: index, end: index + found.length } });
    }
    if (stretches.length > 0) yield [code, joinStretches(stretches, '\n')];
  }
}

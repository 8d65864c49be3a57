// What a text may say in another code: every candidate in it, not the first one only.
import { fromStretch, inStep, replacingNear, type DerivedText } from './derived-text.ts';

export type Codec = 'base64' | 'base64url' | 'hex' | 'percent' | 'entities' | 'rot13';
export type Decoding = DerivedText & { codec: Codec };

export function decodingsOf(text: string): Decoding[] {
  const whole = [...base64(text), ...hex(text)].filter((decoding) => readable.test(decoding.text));
  return [...whole, ...singleCharacters(text), rot13(text)].filter((decoding) => decoding.text !== text);
}

/** Long words and paths decode to noise, in which this many legible characters do not come together. */
const readable = /[\x20-\x7e\n\p{L}]{12}/u;

/** 16 units are 12 bytes: less does not hold a sentence. Lines of 40 and more may go on in the next, as mail breaks them. */
const base64Run = /(?:[\w+/-]{40,}\r?\n){0,10000}[\w+/-]{16,}={0,2}/g;
const hexRun = /(?:(?:0x|\\x)?[0-9a-f]{2}[\s:,]?){8,}/gi;

function base64(text: string): Decoding[] {
  return [...text.matchAll(base64Run)].map(({ 0: found, index }) => ({
    codec: /[-_]/.test(found) ? 'base64url' : 'base64',
    ...fromStretch(bytes(found.replace(/\s/g, ''), 'base64'), { start: index, end: index + found.length }),
  }));
}

function hex(text: string): Decoding[] {
  return [...text.matchAll(hexRun)].map(({ 0: found, index }) => ({
    codec: 'hex',
    ...fromStretch(bytes(found.replace(/0x|\\x|[\s:,]/gi, ''), 'hex'), { start: index, end: index + found.length }),
  }));
}

/** Node reads both alphabets of base64 as one. */
const bytes = (encoded: string, encoding: 'hex' | 'base64'): string => Buffer.from(encoded, encoding).toString('utf8');

/** Those that phrases and markup are written with; letters have no names. */
const entityNames = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['colon', ':'],
  ['num', '#'],
  ['sol', '/'],
  ['vert', '|'],
  ['verbar', '|'],
  ['lbrack', '['],
  ['lsqb', '['],
  ['rbrack', ']'],
  ['rsqb', ']'],
  ['lowbar', '_'],
  ['hyphen', '-'],
  ['tab', '\t'],
  ['newline', '\n'],
]);

/** Codes of single characters, with plain ones between them. */
function singleCharacters(text: string): Decoding[] {
  const percent = replacingNear(text, /(?:%[0-9a-f]{2})+/gi, ([found]) => bytes(found.replaceAll('%', ''), 'hex'));
  const entities = replacingNear(
    text,
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi,
    ([found, decimal, inHex, name]) => {
      if (name !== undefined) return entityNames.get(name.toLowerCase()) ?? found;
      return character(inHex === undefined ? Number(decimal) : Number.parseInt(inHex, 16)) ?? found;
    },
  );
  const escapes = replacingNear(text, /\\(?:x([0-9a-f]{2})|u\{?([0-9a-f]{4,6})\}?)/gi, ([found, byte, unit]) => {
    return character(Number.parseInt(byte ?? unit ?? '', 16)) ?? found;
  });
  const named = (codec: Codec, texts: DerivedText[]) => texts.map((derived) => ({ codec, ...derived }));
  return [...named('percent', percent), ...named('entities', entities), ...named('hex', escapes)];
}

const character = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

function rot13(text: string): Decoding {
  const units = Buffer.from(text, 'utf16le');
  for (let at = 0; at < units.length; at += 2) {
    const unit = units[at + 1] === 0 ? (units[at] ?? 0) : 0;
    const small = unit | 0x20;
    if (small >= 97 && small <= 122) units[at] = unit + (small < 110 ? 13 : -13);
  }
  return { codec: 'rot13', ...inStep(units.toString('utf16le')) };
}

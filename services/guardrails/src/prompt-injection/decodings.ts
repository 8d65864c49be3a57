// What a text may say in another code: every candidate, not the first one. A decoding is a text of its own that knows where its
// parts stand in the text that it came from.
import type { Span } from '../text/span.ts';

export type Decoding = { codec: Codec; text: string; /** where a stretch of the decoding stands in the source */ spanOf(start: number, end: number): Span };
export type Codec = 'base64' | 'base64url' | 'hex' | 'percent' | 'entities' | 'rot13';

export function decodingsOf(text: string): Decoding[] {
  return [...candidates('base64', text), ...candidates('hex', text), ...inPlace(text), rot13(text)].filter(
    (decoding) => decoding.text !== '' && decoding.text !== text,
  );
}

/** Shorter ones cannot hold a sentence, units of the code. */
const CANDIDATES = {
  // Lines of 40 and more may go on in the next line, as mail and PEM break them.
  base64: /(?:[\w+/-]{40,}\r?\n){0,10000}[\w+/-]{16,}={0,2}/g,
  hex: /(?:(?:0x|\\x)?[0-9a-f]{2}[\s:,]?){8,}/gi,
} as const;

function candidates(kind: 'base64' | 'hex', text: string): Decoding[] {
  return [...text.matchAll(CANDIDATES[kind])].map(({ 0: found, index }) => {
    const span = { start: index, end: index + found.length };
    if (kind === 'hex') return { codec: 'hex', text: bytes(found.replace(/0x|\\x|[\s:,]/gi, ''), 'hex'), spanOf: () => span };
    const codec = /[-_]/.test(found) ? 'base64url' : 'base64';
    return { codec, text: bytes(found.replace(/\s/g, ''), 'base64'), spanOf: () => span };
  });
}

/** Node reads both alphabets of base64 as one, and stops at what is neither. */
const bytes = (encoded: string, encoding: 'hex' | 'base64'): string => Buffer.from(encoded, encoding).toString('utf8');

const entityNames: Record<string, string> = {
  ...{ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ', colon: ':', num: '#', sol: '/', vert: '|', verbar: '|' },
  ...{ lbrack: '[', lsqb: '[', rbrack: ']', rsqb: ']', lowbar: '_', tab: '\t', newline: '\n', hyphen: '-', excl: '!', period: '.' },
};

/** Codes of single characters, which stand between plain ones. */
function inPlace(text: string): Decoding[] {
  const percent = replaced('percent', text, /(?:%[0-9a-f]{2})+/gi, (found) => bytes(found.replaceAll('%', ''), 'hex'));
  const entities = replaced('entities', text, /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi, (found, decimal, hex, name) => {
    if (name !== undefined) return entityNames[name.toLowerCase()] ?? found;
    return fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)) ?? found;
  });
  const escapes = replaced('hex', text, /\\(?:x([0-9a-f]{2})|u\{?([0-9a-f]{4,6})\}?)/gi, (found, byte, unit) => {
    return fromCodePoint(Number.parseInt(byte ?? unit ?? '', 16)) ?? found;
  });
  return [percent, entities, escapes];
}

const fromCodePoint = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

type Piece = Span & { at: number; length: number };

/** Every match replaced; `spanOf` finds the pieces that a stretch of the result came from. */
export function replaced(
  codec: Codec,
  text: string,
  pattern: RegExp,
  decode: (found: string, ...groups: (string | undefined)[]) => string,
): Decoding {
  const pieces: Piece[] = [];
  let result = '';
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    const decoded = decode(match[0], ...match.slice(1));
    result += text.slice(from, match.index);
    pieces.push({ start: match.index, end, at: result.length, length: decoded.length });
    result += decoded;
    from = end;
  }
  return { codec, text: result + text.slice(from), spanOf: (start, end) => sourceSpan(pieces, start, end) };
}

function sourceSpan(pieces: readonly Piece[], start: number, end: number): Span {
  const source = (place: number, edge: 'start' | 'end') => {
    const piece = pieces.findLast((candidate) => candidate.at <= place);
    if (!piece) return place;
    const behind = place - piece.at - piece.length;
    return behind < 0 ? piece[edge] : piece.end + behind;
  };
  return { start: source(start, 'start'), end: end > start ? source(end - 1, 'end') + (isPlain(pieces, end - 1) ? 1 : 0) : source(start, 'end') };
}

function isPlain(pieces: readonly Piece[], place: number): boolean {
  const piece = pieces.findLast((candidate) => candidate.at <= place);
  return !piece || place >= piece.at + piece.length;
}

function rot13(text: string): Decoding {
  const turned = text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
  return { codec: 'rot13', text: turned, spanOf: (start, end) => ({ start, end }) };
}

// A text as the tokens that keywords are compared by, on normalized text: NFKC, lower case, invisible characters dropped, white
// space of any kind and length one space. A token is a word (or, for parts of words, a character), a run of white space, or a
// single other character. Where a token ends depends on nothing before its start, so that a stream can be cut between tokens.
import { foldEscapes } from '../text/fold.ts';

export type Token = { text: string; start: number; end: number };

/** Longer runs go on in the next token, code units: nothing grows without bound. */
export const MAX_TOKEN = 64;

// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
const beyondAscii = /[^\x00-\x7f]/;
const asciiWords = /\w{1,64}|\s{1,64}|\\{1,64}|[^]/g;
const asciiCharacters = /\s{1,64}|\\{1,64}|[^]/g;

/** @param wholeWords false: a token is a character, so that keywords are found inside words too */
export function tokensOf(text: string, wholeWords: boolean): Token[] {
  const view = foldEscapes(text);
  if (beyondAscii.test(view)) return unicodeTokens(view, wholeWords);
  const pattern = wholeWords ? asciiWords : asciiCharacters;
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  // The stream's path: matchAll costs twice as much.
  for (let match = pattern.exec(view); match; match = pattern.exec(view)) {
    const found = match[0];
    const text = found.charCodeAt(0) <= SPACE && /^\s/.test(found) ? ' ' : found.toLowerCase();
    tokens.push({ text, start: match.index, end: match.index + found.length });
  }
  return tokens;
}

const SPACE = 32;

type Kind = 'word' | 'space' | 'backslash' | 'single' | 'attached';

/** Scripts that are written without spaces: every character counts as a word. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
const attaching = /^[\p{M}\p{Default_Ignorable_Code_Point}]/u;
const inWord = /^[\p{L}\p{N}_]/u;

function unicodeTokens(view: string, wholeWords: boolean): Token[] {
  const tokens: (Token & { kind: Kind; raw: string })[] = [];
  let start = 0;
  for (const character of view) {
    const kind = kindOf(character, wholeWords);
    const last = tokens.at(-1);
    const joins = last && (kind === 'attached' || (kind === last.kind && kind !== 'single'));
    const end = start + character.length;
    if (joins && end - last.start <= MAX_TOKEN) {
      last.raw += character;
      last.end = end;
    } else tokens.push({ kind, raw: character, text: '', start, end });
    start = end;
  }
  return tokens.map(({ kind, raw, start, end }) => ({ text: kind === 'space' ? ' ' : normalized(raw), start, end }));
}

function kindOf(character: string, wholeWords: boolean): Kind {
  if (attaching.test(character)) return 'attached';
  if (character === '\\') return 'backslash';
  const plain = character.normalize('NFKC');
  if (/^\s/.test(plain)) return 'space';
  return wholeWords && inWord.test(plain) && !unspaced.test(plain) ? 'word' : 'single';
}

const normalized = (raw: string): string => raw.replace(invisible, '').normalize('NFKC').toLowerCase();

// Splits normalized text into tokens for comparing keywords: NFKC, lower case, without invisible characters, each run
// of white space as one space. A token is a word (or one character, to match parts of words), a run of white space, or
// another single character. Underscores at the edges of a word are markup: each is a token. The tokens of a run of word
// characters do not depend on text before the run, so a stream can be cut between runs.
import { foldEscapes } from '../../text/fold.ts';

/** `run`: start of the run of word characters that contains the token. */
export type KeywordToken = { text: string; start: number; end: number; run: number };

/** Maximum length of a token, in code units. A longer run continues in the next token, which bounds the buffer. */
export const MAX_TOKEN = 64;

// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
const beyondAscii = /[^\x00-\x7f]/;
const asciiWords = /\w{1,64}|\s{1,64}|\\{1,64}|[^]/g;
const asciiCharacters = /\s{1,64}|\\{1,64}|[^]/g;

/** @param wholeWords false: a token is one character, so that keywords match inside words */
export function tokenize(text: string, wholeWords: boolean): KeywordToken[] {
  const view = foldEscapes(text);
  if (beyondAscii.test(view)) return splitWords(view, wholeWords);
  const pattern = wholeWords ? asciiWords : asciiCharacters;
  const tokens: KeywordToken[] = [];
  pattern.lastIndex = 0;
  // A loop of exec, because matchAll takes twice as long on the stream's path.
  for (let match = pattern.exec(view); match; match = pattern.exec(view)) {
    const found = match[0];
    const text = found.charCodeAt(0) <= SPACE && /^\s/.test(found) ? ' ' : found.toLowerCase();
    const token = { text, start: match.index, end: match.index + found.length, run: match.index };
    if (text.includes('_')) tokens.push(...splitEdges(token));
    else tokens.push(token);
  }
  return tokens;
}

const SPACE = 32;

/** Splits the underscores at the edges from a word of normalized text. */
function splitEdges({ text, start, end, run }: KeywordToken): KeywordToken[] {
  const leading = /^_*/.exec(text)?.[0].length ?? 0;
  const trailing = leading === text.length ? 0 : (/_*$/.exec(text)?.[0].length ?? 0);
  const createEdges = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({ text: '_', start: from + at, end: from + at + 1, run }));
  const word = { text: text.slice(leading, text.length - trailing), start: start + leading, end: end - trailing, run };
  return [
    ...createEdges(start, leading),
    ...(word.text === '' ? [] : [word]),
    ...createEdges(end - trailing, trailing),
  ];
}

type CharacterKind = 'word' | 'space' | 'backslash' | 'single' | 'attached';

/** Scripts without spaces: each character is a word. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
const attaching = /^[\p{M}\p{Default_Ignorable_Code_Point}]/u;
const inWord = /^[\p{L}\p{N}_]/u;

function splitWords(view: string, wholeWords: boolean): KeywordToken[] {
  const tokens: (KeywordToken & { kind: CharacterKind; raw: string })[] = [];
  let start = 0;
  for (const character of view) {
    const kind = classifyCharacter(character, wholeWords);
    const last = tokens.at(-1);
    const joins = last && (kind === 'attached' || (kind === last.kind && kind !== 'single'));
    const end = start + character.length;
    if (joins && end - last.start <= MAX_TOKEN) {
      last.raw += character;
      last.end = end;
    } else tokens.push({ kind, raw: character, text: '', start, end, run: start });
    start = end;
  }
  return tokens.flatMap(({ kind, raw, start, end, run }) => {
    const token = { text: kind === 'space' ? ' ' : normalizeWord(raw), start, end, run };
    return raw.length === token.text.length && token.text.includes('_') ? splitEdges(token) : [token];
  });
}

function classifyCharacter(character: string, wholeWords: boolean): CharacterKind {
  if (attaching.test(character)) return 'attached';
  if (character === '\\') return 'backslash';
  const plain = character.normalize('NFKC');
  if (/^\s/.test(plain)) return 'space';
  return wholeWords && inWord.test(plain) && !unspaced.test(plain) ? 'word' : 'single';
}

const normalizeWord = (raw: string): string => raw.replace(invisible, '').normalize('NFKC').toLowerCase();

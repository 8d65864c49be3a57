// A text read word by word: whatever is not a letter or a digit parts words, case and accents do not count.
import { lookAlike } from '../../text/views/confusables.ts';
import { foldCharacter } from '../../text/views/unit-fold.ts';
import type { Entry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import { isUnspaced, wordLength } from '../lexicon/unspaced.ts';
import type { Reading, Token } from './reading.ts';

const APOSTROPHES = /['`\u2018\u2019\u00b4]/g;
/** No word that a rule knows is longer. */
const MAX_WORD = 64;

/** @param isDisguised whether words may be spelled with other letters */
export function readWords(text: string, lexicon: Lexicon, isDisguised = false): Reading {
  const words: Lexicon = isDisguised
    ? { ...lexicon, find: (word) => lexicon.find(word) ?? lexicon.findAlike(word) }
    : lexicon;
  const tokens: Token[] = [];
  let index = 0;
  let at = 0;
  while (at < text.length) {
    const start = at;
    let isPlain = true;
    let kind = kindOf(text.charCodeAt(at));
    while (kind !== SEPARATOR) {
      if (kind === BEYOND) {
        const codePoint = text.codePointAt(at) ?? 32;
        if (foldCharacter(codePoint) === ' ' && lookAlike(codePoint) === undefined) break;
        isPlain = false;
        if (codePoint > 0xffff) at += 1;
      }
      at += 1;
      if (at >= text.length) break;
      kind = kindOf(text.charCodeAt(at));
    }
    if (at > start) {
      index = isPlain
        ? addPlain(tokens, text, start, at, index, words)
        : addFolded(tokens, text, start, at, index, words);
    } else at += text.charCodeAt(at) >= 0xd800 && text.charCodeAt(at) < 0xdc00 ? 2 : 1;
  }
  return { kind: 'words', tokens, slack: 0 };
}

const SEPARATOR = 0;
const LETTER = 1;
const BEYOND = 2;

/** An apostrophe stands in a word. */
function kindOf(unit: number): number {
  if (unit > 127) return BEYOND;
  if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57)) return LETTER;
  return unit === 39 || unit === 96 ? LETTER : SEPARATOR;
}

function addPlain(tokens: Token[], text: string, start: number, end: number, index: number, lexicon: Lexicon): number {
  if (end - start > MAX_WORD) return index + 1;
  const word = text.slice(start, end).toLowerCase().replace(APOSTROPHES, '');
  if (word === '') return index;
  const entry = lexicon.find(word);
  if (entry) tokens.push({ entry, index, size: word.length, ...trimmed(text, start, end) });
  return index + 1;
}

/** Quotes around a word are not its own. */
function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  let [first, last] = [start, end];
  while (first < last && isQuote(text.charCodeAt(first))) first += 1;
  while (last > first && isQuote(text.charCodeAt(last - 1))) last -= 1;
  return { start: first, end: last };
}
const isQuote = (unit: number): boolean => unit === 39 || unit === 96;

function addFolded(tokens: Token[], text: string, start: number, end: number, index: number, lexicon: Lexicon): number {
  const { word, places } = folded(text, start, end);
  let next = index;
  let from = 0;
  // What folds to a space parts words: "½".
  for (const part of word.split(' ')) {
    if (part !== '') next = addWord(tokens, part, places.slice(from, from + part.length + 1), next, lexicon);
    from += part.length + 1;
  }
  return next;
}

/** @param places where each unit of the word begins in the text, and where the last one ends */
function addWord(tokens: Token[], word: string, places: readonly number[], index: number, lexicon: Lexicon): number {
  if (isUnspaced(word)) return addRun(tokens, word, places, index, lexicon);
  if (word.length > MAX_WORD) return index + 1;
  const entry = lexicon.find(word) ?? lookedAlike(word, lexicon);
  if (entry) tokens.push({ entry, index, size: word.length, start: places[0] ?? 0, end: places[word.length] ?? 0 });
  return index + 1;
}

function addRun(tokens: Token[], run: string, places: readonly number[], index: number, lexicon: Lexicon): number {
  const length = wordLength(run.charCodeAt(0));
  let next = index;
  let from = 0;
  for (const { entry, at, length: size } of lexicon.scan.find(run)) {
    // Letters that are joined to a word in its script are not a word of their own.
    if (Number.isFinite(length)) next += Math.ceil((at - from) / length);
    from = at + size;
    tokens.push({ entry, index: next, size, start: places[at] ?? 0, end: places[from] ?? 0 });
    next += 1;
  }
  if (Number.isFinite(length)) return next + Math.ceil((run.length - from) / length);
  return Math.max(next, index + 1);
}

function folded(text: string, start: number, end: number): { word: string; places: number[] } {
  let word = '';
  const places: number[] = [];
  for (let at = start; at < end;) {
    const codePoint = text.codePointAt(at) ?? 32;
    const plain = foldCharacter(codePoint);
    const units = plain === ' ' ? (lookAlike(codePoint) ?? ' ') : plain;
    for (let n = 0; n < units.length; n++) places.push(at);
    word += units;
    at += codePoint > 0xffff ? 2 : 1;
  }
  places.push(end);
  return { word, places };
}

/** Letters of other scripts that look Latin, and come to a Latin word. */
function lookedAlike(word: string, lexicon: Lexicon): Entry | undefined {
  const latin = Array.from(word, (character) => lookAlike(character.codePointAt(0) ?? 32) ?? character).join('');
  return latin !== word && /^[a-z0-9]+$/.test(latin) ? lexicon.find(latin) : undefined;
}

// Reads a text word by word. Everything except letters and digits separates words; case and accents do not count.
import { lookAlike } from '../../../text/views/confusables.ts';
import { foldCharacter } from '../../../text/views/unit-fold.ts';
import type { LexiconEntry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import { isUnspaced, getWordLength } from '../lexicon/unspaced-scripts.ts';
import type { RuleReading, RuleToken } from './reading.ts';

const APOSTROPHES = /['`\u2018\u2019\u00b4]/g;
/** Maximum length of a word in the rules. */
const MAX_WORD = 64;

/** @param isDisguised whether words may be spelled with other letters */
export function readWords(text: string, lexicon: Lexicon, isDisguised = false): RuleReading {
  const words: Lexicon = isDisguised
    ? { ...lexicon, find: (word) => lexicon.find(word) ?? lexicon.findAlike(word) }
    : lexicon;
  const tokens: RuleToken[] = [];
  let index = 0;
  let at = 0;
  while (at < text.length) {
    const start = at;
    let isPlain = true;
    let kind = classifyUnit(text.charCodeAt(at));
    while (kind !== SEPARATOR) {
      if (kind === BEYOND) {
        const codePoint = text.codePointAt(at) ?? 32;
        if (foldCharacter(codePoint) === ' ' && lookAlike(codePoint) === undefined) break;
        isPlain = false;
        if (codePoint > 0xffff) at += 1;
      }
      at += 1;
      if (at >= text.length) break;
      kind = classifyUnit(text.charCodeAt(at));
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

/** An apostrophe is part of a word. */
function classifyUnit(unit: number): number {
  if (unit > 127) return BEYOND;
  if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57)) return LETTER;
  return unit === 39 || unit === 96 ? LETTER : SEPARATOR;
}

function addPlain(
  tokens: RuleToken[],
  text: string,
  start: number,
  end: number,
  index: number,
  lexicon: Lexicon,
): number {
  if (end - start > MAX_WORD) return index + 1;
  const word = text.slice(start, end).toLowerCase().replace(APOSTROPHES, '');
  if (word === '') return index;
  const entry = lexicon.find(word);
  if (entry) tokens.push({ entry, index, size: word.length, ...trimSpan(text, start, end) });
  return index + 1;
}

/** Removes quotation marks around a word. */
function trimSpan(text: string, start: number, end: number): { start: number; end: number } {
  let [first, last] = [start, end];
  while (first < last && isQuote(text.charCodeAt(first))) first += 1;
  while (last > first && isQuote(text.charCodeAt(last - 1))) last -= 1;
  return { start: first, end: last };
}
const isQuote = (unit: number): boolean => unit === 39 || unit === 96;

function addFolded(
  tokens: RuleToken[],
  text: string,
  start: number,
  end: number,
  index: number,
  lexicon: Lexicon,
): number {
  const { word, places } = foldSlice(text, start, end);
  let next = index;
  let from = 0;
  // A character that folds to a space separates words: "½".
  for (const part of word.split(' ')) {
    if (part !== '') next = addWord(tokens, part, places.slice(from, from + part.length + 1), next, lexicon);
    from += part.length + 1;
  }
  return next;
}

/** @param places start of each unit of the word in the text, and the end of the last one */
function addWord(
  tokens: RuleToken[],
  word: string,
  places: readonly number[],
  index: number,
  lexicon: Lexicon,
): number {
  if (isUnspaced(word)) return addRun(tokens, word, places, index, lexicon);
  if (word.length > MAX_WORD) return index + 1;
  const entry = lexicon.find(word) ?? lookUpAlike(word, lexicon);
  if (entry) tokens.push({ entry, index, size: word.length, start: places[0] ?? 0, end: places[word.length] ?? 0 });
  return index + 1;
}

function addRun(tokens: RuleToken[], run: string, places: readonly number[], index: number, lexicon: Lexicon): number {
  const length = getWordLength(run.charCodeAt(0));
  let next = index;
  let from = 0;
  for (const { entry, at, length: size } of lexicon.scan.find(run)) {
    // Joined letters are not a word of their own in these scripts.
    if (Number.isFinite(length)) next += Math.ceil((at - from) / length);
    from = at + size;
    tokens.push({ entry, index: next, size, start: places[at] ?? 0, end: places[from] ?? 0 });
    next += 1;
  }
  if (Number.isFinite(length)) return next + Math.ceil((run.length - from) / length);
  return Math.max(next, index + 1);
}

function foldSlice(text: string, start: number, end: number): { word: string; places: number[] } {
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

/** Finds a Latin word written with similar letters of other scripts. */
function lookUpAlike(word: string, lexicon: Lexicon): LexiconEntry | undefined {
  const latin = Array.from(word, (character) => lookAlike(character.codePointAt(0) ?? 32) ?? character).join('');
  return latin !== word && /^[a-z0-9]+$/.test(latin) ? lexicon.find(latin) : undefined;
}

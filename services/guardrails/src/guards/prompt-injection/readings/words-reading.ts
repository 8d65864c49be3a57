// Reads a text word by word. Everything except letters and digits separates words; case and accents do not count. A word
// that is repeated at once counts once, because a model reads "ignore ignore all all rules" as one order.
import { findSimilarLetter } from '../../../text/views/confusables.ts';
import type { ScannedText } from '../../../text/views/scanned-text.ts';
import { foldCharacter } from '../../../text/views/unit-fold.ts';
import { UNIT } from '../../../text/views/unit-kinds.ts';
import { addToHash, EMPTY_HASH } from '../../../text/views/ascii-words.ts';
import type { LexiconEntry } from '../lexicon/entry.ts';
import type { Lexicon, LexiconWords } from '../lexicon/lexicon.ts';
import { isUnspaced, getWordLength, type UnspacedScan } from '../lexicon/unspaced-scripts.ts';
import { canRepeat, MAX_WORD } from '../lexicon/word-table.ts';
import { addToken, takeColumns, createReading, type RuleReading, type TokenColumns } from './reading.ts';

/** `last`: the preceding word; `hasToken`: whether the lexicon has it. `index`: number of the next word. */
type WordReader = {
  text: string;
  units: Uint16Array;
  words: LexiconWords;
  scan: UnspacedScan;
  tokens: TokenColumns;
  last: string;
  hasToken: boolean;
  index: number;
};

/** @param isDisguised whether words may be spelled with other letters */
export function readWords(scanned: ScannedText, { plain, disguised, scan }: Lexicon, isDisguised = false): RuleReading {
  const { text, units, kinds } = scanned;
  const words = isDisguised ? disguised : plain;
  const tokens = takeColumns();
  const reader: WordReader = { text, units, words, scan, tokens, last: '', hasToken: false, index: 0 };
  let next = 0;
  for (let at = 0; at < text.length;) {
    if (((kinds[at] ?? 0) & IN_WORD) === 0) {
      at += 1;
      continue;
    }
    while ((scanned.words.starts[next] ?? text.length) < at) next += 1;
    const end = scanned.words.ends[next] ?? 0;
    // Most words have letters of ASCII only, and their hash is known.
    if (scanned.words.starts[next] === at && ((kinds[end] ?? 0) & IN_WORD) === 0) {
      addPlain(reader, at, end, scanned.words.hashes[next] ?? 0);
      at = end;
    } else at = readWord(reader, at);
  }
  return createReading('words', tokens, 0);
}

const IN_WORD = UNIT.LETTER | UNIT.DIGIT | UNIT.QUOTE | UNIT.BEYOND_ASCII;
const SEPARATOR = 0;
const LETTER = 1;
const BEYOND = 2;
/** An apostrophe is part of a word. */
const KINDS = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[a-z0-9'`]/i.test(String.fromCharCode(unit)) ? LETTER : SEPARATOR,
);
const classifyUnit = (unit: number): number => (unit > 127 ? BEYOND : (KINDS[unit] ?? SEPARATOR));

/** Reads the word or the separator at `start`, and returns its end. */
function readWord(reader: WordReader, start: number): number {
  const { text } = reader;
  let at = start;
  let hash = EMPTY_HASH;
  let kind = LETTER;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    kind = classifyUnit(unit);
    if (kind !== LETTER) break;
    hash = addToHash(hash, unit);
  }
  if (kind === BEYOND && isInWord(text, at)) return addFolded(reader, start, findWordEnd(text, at));
  if (at > start) addPlain(reader, start, at, hash);
  return kind === BEYOND ? skipCharacter(text, at) : at + 1;
}

/** Returns whether the character beyond ASCII is a part of a word. */
function isInWord(text: string, at: number): boolean {
  const codePoint = text.codePointAt(at) ?? 32;
  return foldCharacter(codePoint) !== ' ' || findSimilarLetter(codePoint) !== undefined;
}

const skipCharacter = (text: string, at: number): number => at + ((text.codePointAt(at) ?? 32) > 0xffff ? 2 : 1);

function findWordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const kind = classifyUnit(text.charCodeAt(at));
    if (kind === SEPARATOR || (kind === BEYOND && !isInWord(text, at))) break;
    at = kind === BEYOND ? skipCharacter(text, at) : at + 1;
  }
  return at;
}

function addPlain(reader: WordReader, start: number, end: number, hash: number): void {
  if (end - start > MAX_WORD) {
    skipLongWord(reader);
    return;
  }
  const { units } = reader;
  const { text, entry, canRepeat } = reader.words.table.read(units, start, end, hash);
  if (text === '') return;
  if (isIdentifier(units, start, end) && ADDRESSEES.has(text)) {
    addWord(reader, text, undefined, start, end);
    return;
  }
  let [first, last] = [start, end];
  while (isQuote(units[first] ?? 0)) first += 1;
  while (isQuote(units[last - 1] ?? 0)) last -= 1;
  if (canRepeat && text === reader.last) extendLast(reader, last);
  else addWord(reader, text, entry, first, last);
}

/** Names of a model, which an identifier of code such as `model_name` does not address. */
const ADDRESSEES = new Set(
  'ai llm llms chatbot chatgpt gpt claude gemini copilot assistant assistants bot bots model models agent agents user users'.split(
    ' ',
  ),
);
const UNDERSCORE = 95;
const isIdentifier = (units: Uint16Array, start: number, end: number): boolean =>
  units[start - 1] === UNDERSCORE || units[end] === UNDERSCORE;
const isQuote = (unit: number): boolean => unit === 39 || unit === 96;

/** Extends the preceding word, which this one repeats. */
function extendLast({ hasToken, tokens }: WordReader, end: number): void {
  if (hasToken) tokens.ends[tokens.count - 1] = end;
}

function skipLongWord(reader: WordReader): void {
  reader.last = '';
  reader.index += 1;
}

function addWord(reader: WordReader, word: string, entry: LexiconEntry | undefined, start: number, end: number): void {
  reader.last = word;
  reader.hasToken = entry !== undefined;
  if (entry) addToken(reader.tokens, entry.id, reader.index, word.length, start, end);
  reader.index += 1;
}

/** Returns `end`. */
function addFolded(reader: WordReader, start: number, end: number): number {
  const { word, places } = foldSlice(reader.text, start, end);
  let from = 0;
  // A character that folds to a space separates words: "½".
  for (const part of word.split(' ')) {
    if (part !== '') addFoldedWord(reader, part, places.slice(from, from + part.length + 1));
    from += part.length + 1;
  }
  return end;
}

/** @param places start of each unit of the word in the text, and the end of the last one */
function addFoldedWord(reader: WordReader, word: string, places: readonly number[]): void {
  const [start = 0, end = 0] = [places[0], places[word.length]];
  if (isUnspaced(word)) addRun(reader, word, places);
  else if (word.length > MAX_WORD) skipLongWord(reader);
  else if (word === reader.last && canRepeat(word)) extendLast(reader, end);
  else addWord(reader, word, reader.words.find(word) ?? findAlike(word, reader.words), start, end);
}

function addRun(reader: WordReader, run: string, places: readonly number[]): void {
  const length = getWordLength(run.charCodeAt(0));
  const first = reader.index;
  let from = 0;
  for (const { entry, at, length: size } of reader.scan.find(run)) {
    // Joined letters are not a word of their own in these scripts.
    if (Number.isFinite(length)) reader.index += Math.ceil((at - from) / length);
    from = at + size;
    reader.last = '';
    reader.hasToken = true;
    addToken(reader.tokens, entry.id, reader.index, size, places[at] ?? 0, places[from] ?? 0);
    reader.index += 1;
  }
  if (Number.isFinite(length)) reader.index += Math.ceil((run.length - from) / length);
  else reader.index = Math.max(reader.index, first + 1);
}

function foldSlice(text: string, start: number, end: number): { word: string; places: number[] } {
  let word = '';
  const places: number[] = [];
  for (let at = start; at < end;) {
    const codePoint = text.codePointAt(at) ?? 32;
    const plain = foldCharacter(codePoint);
    const units = plain === ' ' ? (findSimilarLetter(codePoint) ?? ' ') : plain;
    for (let n = 0; n < units.length; n++) places.push(at);
    word += units;
    at = skipCharacter(text, at);
  }
  places.push(end);
  return { word, places };
}

/** Finds a Latin word written with similar letters of other scripts. */
function findAlike(word: string, { find }: LexiconWords): LexiconEntry | undefined {
  if (isAscii(word)) return undefined;
  const latin = Array.from(word, (character) => findSimilarLetter(character.codePointAt(0) ?? 32) ?? character).join(
    '',
  );
  return latin !== word && /^[a-z0-9]+$/.test(latin) ? find(latin) : undefined;
}

function isAscii(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) > 127) return false;
  return true;
}

// Reads a text word by word. Everything except letters and digits separates words; case and accents do not count. A word
// that is repeated at once counts once, because a model reads "ignore ignore all all rules" as one order.
import { lookAlike } from '../../../text/views/confusables.ts';
import { foldCharacter } from '../../../text/views/unit-fold.ts';
import type { LexiconEntry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import { isUnspaced, getWordLength } from '../lexicon/unspaced-scripts.ts';
import type { RuleReading, RuleToken } from './reading.ts';

const APOSTROPHES = /['`\u2018\u2019\u00b4]/g;
/** Maximum length of a word in the rules. */
const MAX_WORD = 64;

/** `last`: the preceding word; `token`: its token, if the lexicon has it. */
type WordReader = { tokens: RuleToken[]; last: string; token?: RuleToken | undefined };

/** @param isDisguised whether words may be spelled with other letters */
export function readWords(text: string, lexicon: Lexicon, isDisguised = false): RuleReading {
  const words: Lexicon = isDisguised
    ? { ...lexicon, find: (word) => lexicon.find(word) ?? lexicon.findAlike(word) }
    : lexicon;
  const reader: WordReader = { tokens: [], last: '' };
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
        ? addPlain(reader, text, start, at, index, words)
        : addFolded(reader, text, start, at, index, words);
    } else at += text.charCodeAt(at) >= 0xd800 && text.charCodeAt(at) < 0xdc00 ? 2 : 1;
  }
  return { kind: 'words', tokens: reader.tokens, slack: 0 };
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
  reader: WordReader,
  text: string,
  start: number,
  end: number,
  index: number,
  lexicon: Lexicon,
): number {
  if (end - start > MAX_WORD) return skipLongWord(reader, index);
  const word = text.slice(start, end).toLowerCase().replace(APOSTROPHES, '');
  if (word === '') return index;
  const span = trimSpan(text, start, end);
  if (isRepetition(reader, word, span.end)) return index;
  addToken(reader, word, lexicon.find(word), { index, size: word.length, ...span });
  return index + 1;
}

/** Extends the preceding word if this one repeats it. Digits and single letters are repeated in ordinary text. */
function isRepetition(reader: WordReader, word: string, end: number): boolean {
  if (word !== reader.last || word.length < 2 || /^\d/.test(word)) return false;
  if (reader.token) reader.token.end = end;
  return true;
}

function skipLongWord(reader: WordReader, index: number): number {
  reader.last = '';
  return index + 1;
}

function addToken(
  reader: WordReader,
  word: string,
  entry: LexiconEntry | undefined,
  place: Omit<RuleToken, 'entry'>,
): void {
  reader.last = word;
  reader.token = entry && { entry, ...place };
  if (reader.token) reader.tokens.push(reader.token);
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
  reader: WordReader,
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
    if (part !== '') next = addWord(reader, part, places.slice(from, from + part.length + 1), next, lexicon);
    from += part.length + 1;
  }
  return next;
}

/** @param places start of each unit of the word in the text, and the end of the last one */
function addWord(reader: WordReader, word: string, places: readonly number[], index: number, lexicon: Lexicon): number {
  if (isUnspaced(word)) return addRun(reader, word, places, index, lexicon);
  if (word.length > MAX_WORD) return skipLongWord(reader, index);
  const [start = 0, end = 0] = [places[0], places[word.length]];
  if (isRepetition(reader, word, end)) return index;
  addToken(reader, word, lexicon.find(word) ?? lookUpAlike(word, lexicon), { index, size: word.length, start, end });
  return index + 1;
}

function addRun(reader: WordReader, run: string, places: readonly number[], index: number, lexicon: Lexicon): number {
  const length = getWordLength(run.charCodeAt(0));
  let next = index;
  let from = 0;
  for (const { entry, at, length: size } of lexicon.scan.find(run)) {
    // Joined letters are not a word of their own in these scripts.
    if (Number.isFinite(length)) next += Math.ceil((at - from) / length);
    from = at + size;
    addToken(reader, '', entry, { index: next, size, start: places[at] ?? 0, end: places[from] ?? 0 });
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

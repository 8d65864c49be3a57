// Surveys a text once for the marks that each derived view needs, so that ordinary text costs a few passes over its units and not the
// pattern of each view. A mark may be seen in vain, but a view without its marks is empty.
import { createHashSet, listWordsIn, type AsciiWords } from './ascii-words.ts';
import type { ScannedText } from './scanned-text.ts';
import { NATO_WORDS } from './spellings.ts';
import { UNIT } from './unit-kinds.ts';

export type TextMarks = {
  /** Pictures, or characters with two units. */
  isUnusual: boolean;
  /** Five single letters in a row. */
  lettersApart: boolean;
  /** Signs between letters, near each other. */
  signsInside: boolean;
  /** Words with digits or signs among their letters, near each other. */
  mixedWords: boolean;
  /** Words that look coded, which together have the length of coded text. */
  codedWords: boolean;
  base32: boolean;
  smallBase32: boolean;
  hex: boolean;
  /** Codes of characters in decimal, octal or binary digits, and numbered letters. */
  numbers: boolean;
  morse: boolean;
  /** Three words in a row that end in "ay". */
  pigLatin: boolean;
  /** Four radio words near each other; half of the words of a decoded text are such words. */
  radioWords: boolean;
};

const { LETTER, DIGIT, STAND_IN, SIGN, HEX, BETWEEN, MORSE, CAPITAL, CODE, PLUS, SMALL, TOKEN } = UNIT;

export function surveyText({ text, kinds, words }: ScannedText): TextMarks {
  let seen = 0;
  for (let at = 0; at < kinds.length; at++) seen |= kinds[at] ?? 0;
  const isUnusual = (seen & UNIT.UNUSUAL) !== 0;
  const hasDigits = (seen & DIGIT) !== 0;
  return {
    isUnusual,
    lettersApart: hasLettersApart(kinds) || (isUnusual && widePart.test(text)),
    signsInside: isUnusual || hasSignsInside(kinds),
    mixedWords: hasMixedWords(kinds),
    codedWords: hasCodedWords(kinds),
    base32: hasRun(kinds, CAPITAL | DIGIT, 0, MIN_BASE32),
    smallBase32: hasRun(kinds, SMALL | DIGIT, 0, MIN_SMALL_BASE32),
    hex: hasRun(kinds, HEX, BETWEEN, MIN_HEX),
    numbers: hasDigits && hasRun(kinds, DIGIT, BETWEEN, MIN_DIGITS),
    morse: isUnusual || hasMorse(kinds),
    pigLatin: hasPigLatin(text, words),
    radioWords: hasRadioWords(words),
  };
}

/** A letter or a digit of two units. */
const widePart = /(?=[\u{10000}-\u{10ffff}])[\p{L}\p{N}]/u;
const MIN_SINGLE = 5;
const MAX_GAP = 4;
function hasLettersApart(kinds: Uint16Array): boolean {
  let [start, end, count] = [-1, 0, 0];
  for (let at = 0; at < kinds.length; at++) {
    if (((kinds[at] ?? 0) & TOKEN) !== 0) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      const isNext = count > 0 && start - end <= MAX_GAP;
      count = at - start > 1 ? 0 : isNext ? count + 1 : 1;
      if (count >= MIN_SINGLE) return true;
      end = at;
      start = -1;
    }
  }
  return false;
}

/** Number of disguised words near each other, and their maximum distance with their own length. */
const MIN_NEAR = 4;
const NEAR_SIGNS = 46;
const NEAR_WORDS = 96;
/** Returns a function that adds a place, and returns whether enough places follow each other within the distance. */
function createDensity(apart: number): (at: number) => boolean {
  let [last, count] = [Number.NEGATIVE_INFINITY, 0];
  return (at) => {
    count = at - last <= apart ? count + 1 : 1;
    last = at;
    return count >= MIN_NEAR;
  };
}

function hasSignsInside(kinds: Uint16Array): boolean {
  const add = createDensity(NEAR_SIGNS);
  for (let at = 1; at < kinds.length - 1; at++) {
    if (((kinds[at] ?? 0) & SIGN) === 0 || ((kinds[at - 1] ?? 0) & LETTER) === 0) continue;
    if (((kinds[at + 1] ?? 0) & (LETTER | SIGN)) !== 0 && add(at)) return true;
  }
  return false;
}

function hasMixedWords(kinds: Uint16Array): boolean {
  const add = createDensity(NEAR_WORDS);
  const other = DIGIT | STAND_IN | PLUS;
  for (let at = 1; at < kinds.length; at++) {
    const [before, here] = [kinds[at - 1] ?? 0, kinds[at] ?? 0];
    const isMixed = (here & other) !== 0 ? (before & LETTER) !== 0 : (before & other) !== 0 && (here & LETTER) !== 0;
    if (isMixed && add(at)) return true;
  }
  return false;
}

/** Padding belongs to a coded word, so a word may be shorter than the code. */
const MIN_CODED = 14;
const NEAR_CODED = 34;
const MIN_PIECE = 3;
function hasCodedWords(kinds: Uint16Array): boolean {
  let [start, end, length, isCoded] = [-1, 0, 0, false];
  for (let at = 0; at < kinds.length; at++) {
    if (((kinds[at] ?? 0) & (CODE | LETTER)) !== 0) {
      if (start < 0) start = at;
      else isCoded ||= isCodedPair(kinds[at - 2] ?? 0, kinds[at - 1] ?? 0, kinds[at] ?? 0);
      continue;
    }
    if (start >= 0 && at - start >= MIN_PIECE && (isCoded || at - start >= MIN_CODED)) {
      length = (start - end <= NEAR_CODED ? length : 0) + at - start;
      if (length >= MIN_CODED) return true;
      end = at;
    }
    start = -1;
    isCoded = false;
  }
  return false;
}

/** A capital or a digit inside of a word, or a small letter after two capitals. */
function isCodedPair(first: number, before: number, here: number): boolean {
  if ((here & CAPITAL) !== 0) return (before & (LETTER | DIGIT)) !== 0 && (before & CAPITAL) === 0;
  if ((here & DIGIT) !== 0) return (before & LETTER) !== 0;
  return (here & LETTER) !== 0 && (before & first & CAPITAL) !== 0;
}

const MIN_BASE32 = 16;
const MIN_SMALL_BASE32 = 24;
const MIN_HEX = 16;
const MIN_DIGITS = 11;
/** Returns whether a run of wanted units, with the allowed ones between them, has enough wanted ones. */
function hasRun(kinds: Uint16Array, wanted: number, allowed: number, least: number): boolean {
  let count = 0;
  for (let at = 0; at < kinds.length; at++) {
    const unit = kinds[at] ?? 0;
    if ((unit & wanted) !== 0) {
      count += 1;
      if (count >= least) return true;
    } else if ((unit & allowed) === 0) count = 0;
  }
  return false;
}

const MIN_MORSE = 6;
function hasMorse(kinds: Uint16Array): boolean {
  let [count, wasSign] = [0, false];
  for (let at = 0; at < kinds.length; at++) {
    const unit = kinds[at] ?? 0;
    const isSign = (unit & MORSE) !== 0;
    if (!isSign && (unit & BETWEEN) === 0) count = 0;
    else if (!isSign && wasSign) count += 1;
    if (count >= MIN_MORSE) return true;
    wasSign = isSign;
  }
  return false;
}

const MIN_RADIO = 4;
/** Maximum distance from the first to the last of them: seven of 14 words with at most 8 letters and 3 separators each, and more. */
const NEAR_RADIO = 200;
/** The parts of "x-ray" are separate words here. */
const RADIO_WORDS = createHashSet([...NATO_WORDS, 'ray']);
function hasRadioWords(words: AsciiWords): boolean {
  const places = listWordsIn(words, RADIO_WORDS);
  return places.some((place, at) => (places[at + MIN_RADIO - 1] ?? Number.POSITIVE_INFINITY) - place <= NEAR_RADIO);
}

const MIN_PIG_LATIN = 3;
/** Returns whether enough words in a row end in "ay". */
function hasPigLatin(text: string, { count, starts, ends }: AsciiWords): boolean {
  let row = 0;
  for (let at = 0; at < count; at++) {
    const end = ends[at] ?? 0;
    const isWanted =
      end - (starts[at] ?? 0) > 2 && (text.charCodeAt(end - 1) | 32) === 121 && (text.charCodeAt(end - 2) | 32) === 97;
    row = isWanted ? row + 1 : 0;
    if (row >= MIN_PIG_LATIN) return true;
  }
  return false;
}

// Surveys a text once for the marks that each derived view needs, so that ordinary text costs a few passes over its units and not the
// pattern of each view. A mark may be seen in vain, but a view without its marks is empty.
import type { ScannedText } from './scanned-text.ts';
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
  hex: boolean;
  /** Codes of characters in decimal, octal or binary digits. */
  numbers: boolean;
};

const { LETTER, DIGIT, STAND_IN, SIGN, HEX, BETWEEN, CAPITAL, CODE, PLUS, TOKEN } = UNIT;

export function surveyText({ text, kinds, seen }: ScannedText): TextMarks {
  const isUnusual = (seen & UNIT.UNUSUAL) !== 0;
  const hasDigits = (seen & DIGIT) !== 0;
  return {
    isUnusual,
    lettersApart: hasLettersApart(kinds) || (isUnusual && widePart.test(text)),
    signsInside: isUnusual || hasSignsInside(kinds),
    mixedWords: (seen & MIXED) !== 0 && hasMixedWords(kinds),
    codedWords: hasCodedWords(kinds),
    hex: hasRun(kinds, HEX, BETWEEN, MIN_HEX),
    numbers: hasDigits && hasRun(kinds, DIGIT, BETWEEN, MIN_DIGITS),
  };
}

/** A letter or a digit of two units. */
const widePart = /(?=[\u{10000}-\u{10ffff}])[\p{L}\p{N}]/u;
const MIN_SINGLE = 5;
const MAX_GAP = 4;
/** Distance of two places, one of which is in every row of single letters. */
const SINGLE_STEP = 2 * MIN_SINGLE - 2;
/** Searches only around each SINGLE_STEP-th place, and there only if it is not inside of a word. */
function hasLettersApart(kinds: Uint16Array): boolean {
  for (let at = 0; at < kinds.length;) {
    if (isInsideWord(kinds, at)) {
      at += SINGLE_STEP;
      continue;
    }
    while (at > 0 && !isInsideWord(kinds, at - 1)) at -= 1;
    let [end, count] = [0, 0];
    for (let isRest = at > 0; at < kinds.length && !isInsideWord(kinds, at); at++, isRest = false) {
      if (isRest || ((kinds[at] ?? 0) & TOKEN) === 0) continue;
      count = count > 0 && at - end <= MAX_GAP ? count + 1 : 1;
      if (count >= MIN_SINGLE) return true;
      end = at + 1;
    }
  }
  return false;
}

/** Returns whether a word has the unit and the next one. */
const isInsideWord = (kinds: Uint16Array, at: number): boolean =>
  ((kinds[at] ?? 0) & TOKEN) !== 0 && ((kinds[at + 1] ?? 0) & TOKEN) !== 0;

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

/** Digits and signs of such a word. */
const MIXED = DIGIT | STAND_IN | PLUS;
function hasMixedWords(kinds: Uint16Array): boolean {
  const add = createDensity(NEAR_WORDS);
  let before = 0;
  for (let at = 0; at < kinds.length; at++) {
    const here = kinds[at] ?? 0;
    const isMixed = (here & MIXED) !== 0 ? (before & LETTER) !== 0 : (before & MIXED) !== 0 && (here & LETTER) !== 0;
    if (isMixed && add(at)) return true;
    before = here;
  }
  return false;
}

/** Padding belongs to a coded word, so a word may be shorter than the code. */
const MIN_CODED = 14;
const NEAR_CODED = 34;
const MIN_PIECE = 3;
const CODED = CODE | LETTER;
function hasCodedWords(kinds: Uint16Array): boolean {
  if (hasRun(kinds, CODED, 0, MIN_CODED)) return true;
  let [end, length] = [0, 0];
  for (let at = 1; at < kinds.length; at++) {
    if (((kinds[at] ?? 0) & (CAPITAL | DIGIT)) === 0 || !isCodedAt(kinds, at)) continue;
    let start = at;
    while (start > 0 && ((kinds[start - 1] ?? 0) & CODED) !== 0) start -= 1;
    while (((kinds[at] ?? 0) & CODED) !== 0) at += 1;
    if (at - start < MIN_PIECE) continue;
    length = (start - end <= NEAR_CODED ? length : 0) + at - start;
    if (length >= MIN_CODED) return true;
    end = at;
  }
  return false;
}

/** Returns whether a capital or a digit is inside of a word, or a capital is the second one before a small letter. */
function isCodedAt(kinds: Uint16Array, at: number): boolean {
  const [before, here, next] = [kinds[at - 1] ?? 0, kinds[at] ?? 0, kinds[at + 1] ?? 0];
  if ((here & DIGIT) !== 0) return (before & LETTER) !== 0;
  if ((before & CAPITAL) === 0) return (before & (LETTER | DIGIT)) !== 0;
  return (next & (LETTER | CAPITAL)) === LETTER;
}

const MIN_HEX = 16;
const MIN_DIGITS = 11;
/** Returns whether a run of wanted units, with the allowed ones between them, has enough wanted ones. */
function hasRun(kinds: Uint16Array, wanted: number, allowed: number, least: number): boolean {
  const either = wanted | allowed;
  for (let at = findRun(kinds, either, least, 0); at < kinds.length; at = findRun(kinds, either, least, at + 1)) {
    let count = 0;
    for (; ((kinds[at] ?? 0) & either) !== 0; at++) {
      if (((kinds[at] ?? 0) & wanted) !== 0) count += 1;
      if (count >= least) return true;
    }
  }
  return false;
}

/**
 * Returns the start of the next run, or the length if no run has `least` units. Looks only at each `least`-th unit, one of which is in
 * such a run; a shorter run may be returned, too.
 */
function findRun(kinds: Uint16Array, kind: number, least: number, from: number): number {
  for (let at = from + least - 1; at < kinds.length; at += least) {
    if (((kinds[at] ?? 0) & kind) === 0) continue;
    while (at > from && ((kinds[at - 1] ?? 0) & kind) !== 0) at -= 1;
    return at;
  }
  return kinds.length;
}

// Reads the letters and digits of a text one by one, without case, accents and invisible characters, and classifies the
// gaps between them, so that a word split by dots, dashes or markup is read as the word. The end of a letter does not
// depend on text before its start.
import { readUnitAt } from '../../segments/read-unit.ts';

/**
 * none: the letters touch; cut: punctuation only; space: white space, with or without punctuation; break: more than a
 * word contains.
 */
export type Gap = 'none' | 'cut' | 'space' | 'break';
/**
 * `changed`: the letter had an accent or an invisible character. `before`: the gap before it; `hasMarkup`: the gap has
 * signs, but no punctuation of sentences. `isCapital`: an upper-case letter that touches a lower-case one, as in "dropTable".
 */
export type Letter = {
  text: string;
  start: number;
  end: number;
  changed: boolean;
  before: Gap;
  hasMarkup: boolean;
  isCapital: boolean;
};
/**
 * Progress of reading a text. JSON; places are code units. `gap`: text after the last letter; `run`: number of touching
 * letters.
 */
export type LetterReading = {
  letters: Letter[];
  readTo: number;
  gap: string;
  gapAt: number;
  run: number;
  isLower?: boolean;
};

/** Maximum number of signs, and of blanks, in a gap. */
const MAX_GAP = 3;
/** Maximum length of a gap with its invisible characters, in code units. */
const MAX_RAW_GAP = 48;
/** Maximum length of a run of letters; a longer word is split. */
const MAX_RUN = 64;
const inWord = /^[\p{L}\p{N}]+$/u;
const whites = /\s/g;
/** "drop, table" and "drop. Table" are two words, "drop **table**" is a phrase. */
const markup = /^[^.,;:!?…]*[^\s.,;:!?…][^.,;:!?…]*$/u;
const accents = /\p{M}/gu;

export const createLetterReading = (): LetterReading => ({ letters: [], readTo: 0, gap: '', gapAt: 0, run: 0 });

type FoldedLetter = {
  /** Without case and accents. */
  text: string;
  /** Whether the letter had an accent. */
  changed: boolean;
  isLower: boolean;
  isUpper: boolean;
};

/** Folds a letter, a digit, or the characters of a ligature, which are one letter. */
function foldLetter(plain: string): FoldedLetter {
  const lower = plain.toLowerCase();
  const text = lower.normalize('NFD').replace(accents, '');
  const isLower = plain === lower && plain !== plain.toUpperCase();
  return { text, changed: text !== lower, isLower, isUpper: plain !== lower };
}

/** Letters and digits of ASCII by their code: most texts have few others. */
const asciiLetters = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return inWord.test(character) ? foldLetter(character) : undefined;
});

/** Reads the rest of the text. Changes `reading`. */
export function readLetters(text: string, reading: LetterReading, isWhole: boolean): void {
  while (reading.readTo < text.length) {
    const start = reading.readTo;
    const plainLetter = asciiLetters[text.charCodeAt(start)];
    if (plainLetter) {
      reading.readTo = start + 1;
      addLetter(reading, plainLetter, start);
      continue;
    }
    const unit = readUnitAt(text, start, isWhole);
    if (!unit) return;
    reading.readTo = start + unit.length;
    if (inWord.test(unit.plain)) addLetter(reading, foldLetter(unit.plain), start);
    else if (unit.plain === '') noteUnseen(reading);
    else if (reading.gap.length <= 2 * MAX_GAP) reading.gap += unit.plain;
  }
}

function addLetter(reading: LetterReading, { text, changed, isLower, isUpper }: FoldedLetter, start: number): void {
  const { letters } = reading;
  const gap = getGapBehind(reading, start);
  const isCut = gap !== 'none' || letters.length === 0 || reading.run >= MAX_RUN;
  reading.run = isCut ? 1 : reading.run + 1;
  const before = letters.length === 0 ? 'space' : isCut && gap === 'none' ? 'break' : gap;
  const isCapital = gap === 'none' && reading.isLower === true && isUpper;
  reading.isLower = isLower;
  const hasMarkup = reading.gap !== '' && reading.gap !== ' ' && markup.test(reading.gap);
  letters.push({ text, start, end: reading.readTo, changed, before, hasMarkup, isCapital });
  reading.gap = '';
  reading.gapAt = reading.readTo;
}

/** Adds invisible characters after a letter to the letter. */
function noteUnseen({ letters, gap, readTo }: LetterReading): void {
  const last = letters.at(-1);
  if (!last || gap !== '') return;
  last.changed = true;
  last.end = readTo;
}

/** Returns the gap after the last letter, as far as the text is read. */
export function getGapBehind({ gap, gapAt }: LetterReading, readTo: number): Gap {
  if (gap === '' || gap === ' ') return readTo - gapAt > MAX_RAW_GAP ? 'break' : gap === '' ? 'none' : 'space';
  const blanks = gap.match(whites)?.length ?? 0;
  const isLong = blanks > MAX_GAP || gap.length - blanks > MAX_GAP || readTo - gapAt > MAX_RAW_GAP;
  return isLong ? 'break' : blanks > 0 ? 'space' : 'cut';
}

/** Drops the letters before `at`, which is the start of a letter or the current position. */
export function forgetBefore(reading: LetterReading, at: number): void {
  reading.letters = reading.letters.filter(({ start }) => start >= at);
  for (const letter of reading.letters) {
    letter.start -= at;
    letter.end -= at;
  }
  reading.readTo -= at;
  reading.gapAt -= at;
  if (reading.letters.length > 0) return;
  reading.gap = '';
  reading.gapAt = reading.readTo;
  reading.run = 0;
}

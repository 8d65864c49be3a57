// The letters and digits of a text one by one, without case, accents and what cannot be seen, and what stands between them. So a
// word that is cut by dots, dashes or markup is read as the word. Where a letter ends depends on nothing before its start.
import { unitAt } from '../segments/unit-at.ts';

/** none: they touch; cut: punctuation alone; space: white space, with or without punctuation; break: more than belongs in a word. */
export type Gap = 'none' | 'cut' | 'space' | 'break';
/** `changed`: it was written with an accent or something that cannot be seen. `before`: what stands before it. */
export type Letter = { text: string; start: number; end: number; changed: boolean; before: Gap };
/** How far a text is read. JSON; places are code units. `gap`: what stands behind the last letter, `run`: letters that touch. */
export type LetterReading = { letters: Letter[]; readTo: number; gap: string; gapAt: number; run: number };

const MAX_GAP = 3;
/** With what cannot be seen, code units. */
const MAX_RAW_GAP = 48;
/** A longer word is cut, letters. */
const MAX_RUN = 64;
const inWord = /^[\p{L}\p{N}]+$/u;
const white = /\s/;
const accents = /\p{M}/gu;

export const newLetterReading = (): LetterReading => ({ letters: [], readTo: 0, gap: '', gapAt: 0, run: 0 });

/** Reads on: changes `reading`. */
export function readLetters(text: string, reading: LetterReading, isWhole: boolean): void {
  while (reading.readTo < text.length) {
    const start = reading.readTo;
    const unit = unitAt(text, start, isWhole);
    if (!unit) return;
    reading.readTo = start + unit.length;
    if (inWord.test(unit.plain)) readLetter(reading, unit.plain, start);
    else if (unit.plain === '') noteUnseen(reading);
    else if (reading.gap.length <= MAX_GAP) reading.gap += unit.plain;
  }
}

/** Characters that are written as one (a ligature) are one letter. */
function readLetter(reading: LetterReading, plain: string, start: number): void {
  const { letters } = reading;
  const gap = gapBehind(reading, start);
  const isCut = gap !== 'none' || letters.length === 0 || reading.run >= MAX_RUN;
  reading.run = isCut ? 1 : reading.run + 1;
  const lower = plain.toLowerCase();
  const text = lower.normalize('NFD').replace(accents, '');
  const before = letters.length === 0 ? 'space' : isCut && gap === 'none' ? 'break' : gap;
  letters.push({ text, start, end: reading.readTo, changed: text !== lower, before });
  reading.gap = '';
  reading.gapAt = reading.readTo;
}

/** What cannot be seen behind a letter belongs to it. */
function noteUnseen({ letters, gap, readTo }: LetterReading): void {
  const last = letters.at(-1);
  if (!last || gap !== '') return;
  last.changed = true;
  last.end = readTo;
}

/** What stands behind the last letter, as far as it is read. */
export function gapBehind({ gap, gapAt }: LetterReading, readTo: number): Gap {
  if (gap.length > MAX_GAP || readTo - gapAt > MAX_RAW_GAP) return 'break';
  if (gap === '') return 'none';
  return white.test(gap) ? 'space' : 'cut';
}

/** Forgets what stands before `at`, which is the start of a letter, or where the reading stands. */
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

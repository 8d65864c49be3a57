// Undoes disguises of words: spaced letters, signs inside words, digits for letters, reversed words. Each is undone
// only at its place, so ordinary text has no such view.
import { findMatches, findMatchesAt, toSticky } from '../find-matches.ts';
import type { TextSpan } from '../span.ts';
import { createHashSet, listPairsIn, listWordsIn } from './ascii-words.ts';
import {
  joinStretches,
  copyText,
  replaceFound,
  replaceMatches,
  joinSlices,
  chainViews,
  type DerivedText,
} from './derived-text.ts';
import { scanText, type ScannedText } from './scanned-text.ts';
import type { TextMarks } from './survey.ts';
import { classifyUnits, readUnits, UNIT } from './unit-kinds.ts';

/** A letter or digit of two units. */
const widePart = /^[\p{L}\p{N}]$/u;
/** Minimum number of single letters with the same few signs between them. A longer gap separates words. */
const MIN_APART = 5;
const MAX_GAP = 4;
/** Signs inside a word. Ordinary text has none near each other, so a few of them are a disguise. */
const inside =
  /(?<=\p{L})(?:[*_~`^|\\/\u00b7\u2022\u2027.\u2010-\u2015+=:;,#-]{1,3}|\p{Extended_Pictographic}\ufe0f?)(?=\p{L})|(?<=(?<!\p{L})\p{L}{1,6})\n(?=\p{L}{1,6}(?!\p{L}))/uy;
/** A word with digits or signs among its letters. */
const mixed = /(?<![\p{L}\p{N}@$!|])(?=[a-z0-9@$!|+]{0,24}[a-z])(?=[a-z]{0,24}[0-9@$!|+])[a-z0-9@$!|+]{2,24}/iuy;

const REACH = 200;
const MIN_NEAR = 4;
/** Maximum distance between disguised words. Names of files and options are farther apart. */
const MAX_APART = 40;

export function* undisguise(scanned: ScannedText, marks: TextMarks): Generator<[code: string, derived: DerivedText]> {
  const { text } = scanned;
  if (marks.lettersApart) yield ['letters apart', joinLetters(scanned)];
  if (marks.signsInside) yield ['signs inside', replaceNear(scanned, findInside, () => '')];
  if (marks.mixedWords) yield ['digits for letters', replaceNear(scanned, findMixed, ([word]) => mapLetters(word))];
  yield ['last word first', moveLastFirst(scanned)];
  const turned = findDense(text, findBackwards(scanned), 1, REACH);
  if (turned.length > 0) {
    const slices = joinSlices(text, turned, '\n');
    yield ['backwards', chainViews(slices, reverseText(slices.text))];
    yield [
      'words backwards',
      chainViews(
        slices,
        replaceMatches(slices.text, /[\p{L}\p{N}']+/gu, ([word]) => Array.from(word).toReversed().join('')),
      ),
    ];
  }
}

type SeenUnits = Pick<ScannedText, 'text' | 'kinds'>;

/** Finds signs after a letter, which may have two units. */
function findInside({ text, kinds }: SeenUnits): readonly RegExpExecArray[] {
  const places: number[] = [];
  for (let at = 1; at < text.length; at++) {
    const kind = kinds[at] ?? 0;
    if ((kind & (UNIT.SIGN | UNIT.BEYOND_ASCII)) === 0) continue;
    if (((kinds[at - 1] ?? 0) & (UNIT.LETTER | UNIT.UNUSUAL)) === 0) continue;
    if ((kind & UNIT.BEYOND_ASCII) !== 0 || isBeforeLetter(kinds, at)) places.push(at);
  }
  return findMatchesAt(text, inside, places);
}

/** Returns whether a letter follows the sign, or more signs and a letter. */
function isBeforeLetter(kinds: Uint16Array, at: number): boolean {
  let next = at + 1;
  while (next < at + MAX_SIGNS && ((kinds[next] ?? 0) & UNIT.SIGN) !== 0) next += 1;
  return ((kinds[next] ?? 0) & (UNIT.LETTER | UNIT.BEYOND_ASCII)) !== 0;
}
const MAX_SIGNS = 3;

/** Finds words in which a digit or a sign follows the first letters. */
function findMixed({ text, kinds }: SeenUnits): readonly RegExpExecArray[] {
  const places: number[] = [];
  const other = UNIT.DIGIT | UNIT.STAND_IN | UNIT.PLUS;
  for (let at = 0, before = -1; at < text.length; at++) {
    if (((kinds[at] ?? 0) & other) === 0) continue;
    let start = at;
    while (start - 1 > before && ((kinds[start - 1] ?? 0) & UNIT.TOKEN) !== 0) start -= 1;
    // A word with an earlier digit or sign is known.
    const isKnown = start - 1 === before && before >= 0 && ((kinds[before] ?? 0) & UNIT.TOKEN) !== 0;
    if (!isKnown) places.push(start);
    before = at;
  }
  return findMatchesAt(text, mixed, places);
}

function joinLetters(scanned: ScannedText): DerivedText {
  const { text } = scanned;
  const spans = findLettersApart(scanned);
  if (spans.length === 0) return copyText('');
  const runs = joinSlices(text, spans, '\n');
  const gaps = (runs.text.match(/[^\p{L}\p{N}@$!|\n]+/gu) ?? []).map(({ length }) => length);
  const usual = Math.min(...gaps.slice(0, 1_000), 4);
  const joined = replaceMatches(runs.text, /[^\p{L}\p{N}@$!|]+/gu, ([gap]) => (gap.length > usual ? ' ' : ''));
  return chainViews(runs, joined);
}

function findLettersApart(scanned: ScannedText): TextSpan[] {
  const { text, kinds } = scanned;
  const spans: TextSpan[] = [];
  let run = { start: 0, end: 0, letters: 0 };
  const close = () => {
    if (run.letters >= MIN_APART) spans.push({ start: run.start, end: run.end });
  };
  for (let start = 0; start < text.length; start++) {
    let end = start;
    let letters = 0;
    for (let kind = kinds[end] ?? 0; (kind & (UNIT.TOKEN | UNIT.UNUSUAL)) !== 0; kind = kinds[end] ?? 0, letters++) {
      const length = (kind & UNIT.TOKEN) !== 0 ? 1 : measureWide(text, end);
      if (length === 0) break;
      end += length;
    }
    if (letters === 1 && run.letters > 0 && start - run.end <= MAX_GAP) {
      run.end = end;
      run.letters += 1;
    } else if (letters > 0) {
      close();
      run = { start, end, letters: letters === 1 ? 1 : 0 };
    }
    start = end;
  }
  close();
  return spans;
}

/** Returns the length of the letter or digit beyond the basic plane at a place, or 0. */
function measureWide(text: string, at: number): number {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return widePart.test(character) ? character.length : 0;
}

/** Replaces matches that are near each other. */
function replaceNear(
  seen: SeenUnits,
  find: (seen: SeenUnits) => readonly RegExpExecArray[],
  replacement: (match: RegExpExecArray) => string,
): DerivedText {
  const dense = findDense(seen.text, find(seen), MIN_NEAR, MAX_APART);
  if (dense.length === 0) return copyText('');
  const slices = joinSlices(seen.text, dense, '\n');
  const matches = find({ text: slices.text, kinds: classifyUnits(readUnits(slices.text)).kinds });
  return chainViews(slices, replaceFound(slices.text, matches, replacement));
}

/** Returns the surroundings of at least `least` matches, each at most `apart` from the preceding one. */
function findDense(text: string, matches: readonly RegExpExecArray[], least: number, apart: number): TextSpan[] {
  const runs: (TextSpan & { matches: number })[] = [];
  for (const { 0: found, index } of matches) {
    const last = runs.at(-1);
    const end = index + found.length;
    if (last && index - last.end <= apart) Object.assign(last, { end, matches: last.matches + 1 });
    else runs.push({ start: index, end, matches: 1 });
  }
  const spans: TextSpan[] = [];
  for (const { start, end, matches } of runs) {
    if (matches < least) continue;
    const last = spans.at(-1);
    const around = { start: Math.max(0, start - REACH), end: Math.min(text.length, end + REACH) };
    if (last && around.start <= last.end) last.end = around.end;
    else spans.push(around);
  }
  return spans;
}

const LETTERS: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
  '+': 't',
};
const mapLetters = (word: string): string => word.replace(/[0-9@$!|+]/g, (sign) => LETTERS[sign] ?? sign);

/** Common pairs of words, which reversed text does not contain in this order. */
const PAIRS =
  'of the|in the|to the|on the|from the|with the|for the|all the|is the|as a|is a|in a|you are|you were|you have|do not|tell me|give me|show me|' +
  'your instructions|your system|system prompt|the system|your prompt|your rules|of your|with your|all your|the above|ignore the|ignore all|from now|' +
  'now on|want you|what you|what is|what are|how to|i am|i want|have been|previous instructions|all previous|act as|as if|the user|the following|' +
  'and the|to me|me the|me a|be a|will be|you will|you must|it is|this is|that is|if you|and then|without any|the first|the password|no rules|' +
  'your answer|the word|the words|the text|the rules|an ai|the secret|the conversation|before you|before the|how you|you got|want to|need to|' +
  'your original|word for|write a|a story|say the|print the|repeat the|reveal the|translate the|by the|at the|that the|there is|has been|all of|of your|to your|in your|with no|as an|is now|are now|from your|about your|for a|to a|on your|into a|who is|how do';
const inOrder = createPhraseFinder(PAIRS);
const outOfOrder = createPhraseFinder(PAIRS.replace(/(\w+) (\w+)/g, '$2 $1'));

/** `set`: hashes of the phrases, which have no other characters than letters and a space. */
function createPhraseFinder(phrases: string) {
  const anywhere = new RegExp(`(?<!\\p{L})(?:${phrases})(?!\\p{L})`, 'giu');
  return { anywhere, sticky: toSticky(anywhere), set: createHashSet(phrases.split('|')) };
}
type PhraseFinder = ReturnType<typeof createPhraseFinder>;

function findPhrases(
  { text, seen, words }: ScannedText,
  { anywhere, sticky, set }: PhraseFinder,
  listIn: typeof listWordsIn,
): readonly RegExpExecArray[] {
  return (seen & UNIT.LATIN_TWIN) !== 0 ? findMatches(text, anywhere) : findMatchesAt(text, sticky, listIn(words, set));
}

const findOutOfOrder = (scanned: ScannedText) => findPhrases(scanned, outOfOrder, listPairsIn);
const findInOrder = (scanned: ScannedText) => findPhrases(scanned, inOrder, listPairsIn);
const findBackwards = (scanned: ScannedText) => findPhrases(scanned, backwards, listWordsIn);

/** A reversed sentence: punctuation after its first word, a capital at its last word without punctuation. */
const turnedSentence =
  /^\P{L}{0,4}[\p{L}\p{N}'\u2019]{1,24}[.!?]['"\u201d)]{0,2} [^\n]{0,4000} \P{L}{0,4}\p{Lu}\p{Ll}*$/u;

/** Restores text with words in reverse order. */
function moveLastFirst(scanned: ScannedText): DerivedText {
  const { text } = scanned;
  const isTurned = text.length < MAX_TURNED && turnedSentence.test(text.trim());
  const spans = isTurned ? [{ start: 0, end: text.length }] : findTurnedWords(scanned);
  if (spans.length === 0) return copyText('');
  const slices = joinSlices(text, spans, '\n');
  const words = [...slices.text.matchAll(/[\p{L}\p{N}']+/gu)].map(({ 0: word, index }) => ({
    text: word,
    span: { start: index, end: index + word.length },
  }));
  return chainViews(slices, joinStretches(words.toReversed(), ' '));
}
/** Maximum length of such a text, in code units. */
const MAX_TURNED = 4_000;

function findTurnedWords(scanned: ScannedText): TextSpan[] {
  return findDense(scanned.text, findOutOfOrder(scanned), 1, REACH).filter(({ start, end }) => {
    const slice = scanText(scanned.text.slice(start, end));
    return findOutOfOrder(slice).length > findInOrder(slice).length;
  });
}

/** The most common words, reversed. */
const backwards = createPhraseFinder(
  'eht|uoy|ruoy|lla|siht|taht|htiw|morf|tpmorp|erongi|snoitcurtsni|suoiverp|evoba|tuoba|lliw|tsum|rewsna|selur|metsys|wohs|llet',
);

/** Each finder with a pattern that has the same matches, for tests. */
export const FINDERS = {
  'signs inside': { find: findInside, pattern: inside },
  'digits for letters': { find: findMixed, pattern: mixed },
  'words out of order': { find: findOutOfOrder, pattern: outOfOrder.anywhere },
  'words in order': { find: findInOrder, pattern: inOrder.anywhere },
  'words backwards': { find: findBackwards, pattern: backwards.anywhere },
} as const satisfies Record<string, { find(scanned: ScannedText): readonly RegExpExecArray[]; pattern: RegExp }>;

function reverseText(text: string): DerivedText {
  const { length } = text;
  return {
    text: Array.from(text).toReversed().join(''),
    toSourceSpan: ({ start, end }) => ({ start: length - end, end: length - start }),
  };
}

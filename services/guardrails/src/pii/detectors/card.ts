// Payment cards: 12 to 19 digits with a valid check digit (ISO/IEC 7812-1: Luhn), in one go, in the groups that are printed, and
// those with anything between them that is no word: lines, columns, members of a list, emphasis.
import { digitsOf, touchesLetters, type DigitGroup, type DigitRun } from '../digit-runs.ts';
import type { Detector, PiiHit } from '../pii-types.ts';

const MIN_DIGITS = 12;
const MAX_DIGITS = 19;
/** 0 and 1 are no card schemes, but for one of Maestro and one of JCB; times in milliseconds begin with 1. */
const issuer = /^(?:[2-9]|0604|1800\d{11}$)/;
/** Of the schemes that are in use, as cards are printed. */
const scheme = /^(?:4|5|2[2-7]|3[04-9]|6)/;
const printed = /^(?:4 4 4 [1-4]|4 6 [45]|4 4 4 4 [1-3])$/;
/** Of the length of a card, and one in ten would pass the check: ISBN-13, and a compact date and time. */
const otherNumber =
  /^(?:97[89]\d{10}|20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)$/;
const separator = /^[ .-]+$/;
const year = /^(?:19|20)\d\d$/;
/** A word that has a card's digits in it, and no other ones. */
const glued =
  /(?<![\p{L}\d])[\p{L}_]{1,24}(\d{13,19})(?![\p{L}\d])|(?<![\p{L}\d])(\d{13,19})[\p{L}_]{1,24}(?![\p{L}\d])/gu;

export const card: Detector = {
  type: 'card',
  detect: ({ text, runs, looseRuns }) => [
    ...runs.flatMap((run) => cardsIn(text, run)),
    ...looseRuns.flatMap((run) => looseCards(text, run)),
    ...gluedCards(text),
  ],
};

function cardsIn(text: string, { groups }: DigitRun): PiiHit[] {
  const hits: PiiHit[] = [];
  for (let first = 0; first < groups.length;) {
    const count = cardAt(text, groups, first);
    const start = groups[first]?.start ?? 0;
    if (count > 0) hits.push({ type: 'card', start, end: groups[first + count - 1]?.end ?? start });
    first += Math.max(count, 1);
  }
  return hits;
}

/** How many groups from `first` on are a card; 0 for none. The longest wins. */
function cardAt(text: string, groups: readonly DigitGroup[], first: number): number {
  const head = groups[first];
  // "0.30000000000000004": what follows a decimal point is no number of its own.
  if (!head || head.gap === '.' || /^1(?!800)/.test(head.digits)) return 0;
  let digits = '';
  let found = 0;
  for (let count = 1; first + count <= groups.length && mayGoOn(groups, first, count); count++) {
    digits += groups[first + count - 1]?.digits ?? '';
    if (digits.length > MAX_DIGITS) break;
    if (!isCard(digits)) continue;
    const window = groups.slice(first, first + count);
    if (isGrouped(window, groups) && !touchesLetters(text, head.start, window.at(-1)?.end ?? 0)) found = count;
  }
  return found;
}

/** Groups of four and more with a short last one, or every digit of the run on its own; spaces, dots and dashes between. */
function mayGoOn(groups: readonly DigitGroup[], first: number, count: number): boolean {
  if (count > 1 && !separator.test(groups[first + count - 1]?.gap ?? '')) return false;
  const before = count === 1 ? undefined : groups[first + count - 2]?.digits.length;
  return before === undefined || before >= 4 || (before === 1 && first === 0 && groups.length <= MAX_DIGITS);
}

function isGrouped(window: readonly DigitGroup[], run: readonly DigitGroup[]): boolean {
  if (window.length > 1 && window.every(({ digits }) => year.test(digits))) return false;
  if (window.slice(0, -1).every(({ digits }) => digits.length >= 4)) return true;
  return window.length === run.length && window.every(({ digits }) => digits.length === 1);
}

/** As printed, or every digit or two on their own; and no group of the same length beside it, as a column of numbers has. */
function looseCards(text: string, { groups }: DigitRun): PiiHit[] {
  const hits: PiiHit[] = [];
  for (let first = 0; first < groups.length; first++) {
    const window = looseWindow(groups, first);
    if (!window) continue;
    const start = window[0]?.start ?? 0;
    const end = window.at(-1)?.end ?? start;
    if (touchesLetters(text, start, end)) continue;
    hits.push({ type: 'card', start, end });
    first += window.length - 1;
  }
  return hits;
}

function looseWindow(groups: readonly DigitGroup[], first: number): readonly DigitGroup[] | undefined {
  const length = groups[first]?.digits.length ?? 0;
  if (length === 4) {
    if (groups[first - 1]?.digits.length === 4) return undefined;
    const window = [5, 4, 3].map((count) => groups.slice(first, first + count)).find(isPrinted);
    return window && groups[first + window.length]?.digits.length !== 4 ? window : undefined;
  }
  if ((length !== 1 && length !== 2) || first > 0 || groups.length > MAX_DIGITS) return undefined;
  const isEven = groups.every(({ digits }) => digits.length === length);
  const digits = digitsOf(groups);
  return isEven && digits.length > MIN_DIGITS && scheme.test(digits) && isCard(digits) ? groups : undefined;
}

function isPrinted(window: readonly DigitGroup[]): boolean {
  const digits = digitsOf(window);
  const isYears = window.every((group) => year.test(group.digits));
  return (
    printed.test(window.map((group) => group.digits.length).join(' ')) &&
    !isYears &&
    scheme.test(digits) &&
    isCard(digits)
  );
}

function gluedCards(text: string): PiiHit[] {
  return [...text.matchAll(glued)].flatMap((match) => {
    const digits = match[1] ?? match[2] ?? '';
    if (!scheme.test(digits) || !isCard(digits)) return [];
    const start = match.index + match[0].indexOf(digits);
    return [{ type: 'card' as const, start, end: start + digits.length }];
  });
}

const isCard = (digits: string): boolean =>
  digits.length >= MIN_DIGITS && issuer.test(digits) && !otherNumber.test(digits) && hasLuhnDigit(digits);

function hasLuhnDigit(digits: string): boolean {
  if (digits.length > MAX_DIGITS) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(at) - 48;
    const doubled = (digits.length - at) % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

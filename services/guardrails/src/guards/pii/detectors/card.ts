// Payment cards: 12 to 19 digits with a valid check digit (ISO/IEC 7812-1: Luhn), without separators, in printed
// groups, or with any separators other than words: lines, columns, members of a list, emphasis.
import { joinDigits, isNextToLetters, type DigitGroup, type DigitRun } from '../digit-runs.ts';
import type { Detector, PiiHit } from '../pii-types.ts';

const MIN_DIGITS = 12;
const MAX_DIGITS = 19;
/** No card scheme starts with 0 or 1, except one of Maestro and one of JCB; times in milliseconds start with 1. */
const issuer = /^(?:[2-9]|0604|1800\d{11}$)/;
/** Prefixes of the current schemes, for printed cards. */
const scheme = /^(?:4|5|2[2-7]|3[04-9]|6)/;
const printed = /^(?:4 4 4 [1-4]|4 6 [45]|4 4 4 4 [1-3])$/;
/** Numbers of the same length, of which one in ten passes the check: ISBN-13, and compact dates with time. */
const otherNumber =
  /^(?:97[89]\d{10}|20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)$/;
const separator = /^[ .-]+$/;
const year = /^(?:19|20)\d\d$/;
/** A word that contains the digits of a card and no others. */
const glued =
  /(?<![\p{L}\d])[\p{L}_]{1,24}(\d{13,19})(?![\p{L}\d])|(?<![\p{L}\d])(\d{13,19})[\p{L}_]{1,24}(?![\p{L}\d])/gu;

export const card: Detector = {
  type: 'card',
  detect: ({ text, runs, looseRuns }) => [
    ...runs.flatMap((run) => findCards(text, run)),
    ...looseRuns.flatMap((run) => findLooseCards(text, run)),
    ...findGluedCards(text),
  ],
};

function findCards(text: string, { groups }: DigitRun): PiiHit[] {
  const hits: PiiHit[] = [];
  for (let first = 0; first < groups.length;) {
    const count = matchCardAt(text, groups, first);
    const start = groups[first]?.start ?? 0;
    if (count > 0) hits.push({ type: 'card', start, end: groups[first + count - 1]?.end ?? start });
    first += Math.max(count, 1);
  }
  return hits;
}

/** Returns the number of groups from `first` that form a card, or 0. The longest match wins. */
function matchCardAt(text: string, groups: readonly DigitGroup[], first: number): number {
  const head = groups[first];
  // Digits after a decimal point, as in "0.30000000000000004", are not a number of their own.
  if (!head || head.gap === '.' || /^1(?!800)/.test(head.digits)) return 0;
  let digits = '';
  let found = 0;
  for (let count = 1; first + count <= groups.length && mayGoOn(groups, first, count); count++) {
    digits += groups[first + count - 1]?.digits ?? '';
    if (digits.length > MAX_DIGITS) break;
    if (!isCard(digits)) continue;
    const window = groups.slice(first, first + count);
    if (isGrouped(window, groups) && !isNextToLetters(text, head.start, window.at(-1)?.end ?? 0)) found = count;
  }
  return found;
}

/** Groups of four or more with a shorter last one, or single digits; separated by spaces, dots and dashes. */
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

/**
 * Finds printed groups, or groups of one or two digits. A neighboring group of the same length means a column of
 * numbers and no card.
 */
function findLooseCards(text: string, { groups }: DigitRun): PiiHit[] {
  const hits: PiiHit[] = [];
  for (let first = 0; first < groups.length; first++) {
    const window = findLooseWindow(groups, first);
    if (!window) continue;
    const start = window[0]?.start ?? 0;
    const end = window.at(-1)?.end ?? start;
    if (isNextToLetters(text, start, end)) continue;
    hits.push({ type: 'card', start, end });
    first += window.length - 1;
  }
  return hits;
}

function findLooseWindow(groups: readonly DigitGroup[], first: number): readonly DigitGroup[] | undefined {
  const length = groups[first]?.digits.length ?? 0;
  if (length === 4) {
    if (groups[first - 1]?.digits.length === 4) return undefined;
    const window = [5, 4, 3].map((count) => groups.slice(first, first + count)).find(isPrinted);
    return window && groups[first + window.length]?.digits.length !== 4 ? window : undefined;
  }
  if ((length !== 1 && length !== 2) || first > 0 || groups.length > MAX_DIGITS) return undefined;
  const isEven = groups.every(({ digits }) => digits.length === length);
  const digits = joinDigits(groups);
  return isEven && digits.length > MIN_DIGITS && scheme.test(digits) && isCard(digits) ? groups : undefined;
}

function isPrinted(window: readonly DigitGroup[]): boolean {
  const digits = joinDigits(window);
  const isYears = window.every((group) => year.test(group.digits));
  return (
    printed.test(window.map((group) => group.digits.length).join(' ')) &&
    !isYears &&
    scheme.test(digits) &&
    isCard(digits)
  );
}

function findGluedCards(text: string): PiiHit[] {
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

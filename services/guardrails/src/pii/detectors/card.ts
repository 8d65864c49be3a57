// Payment cards: 12 to 19 digits with a valid check digit (ISO/IEC 7812-1: Luhn), in one go or in the groups that are printed.
import { touchesLetters, type DigitGroup } from '../digit-runs.ts';
import type { Detector, PiiHit } from '../pii-types.ts';

const MIN_DIGITS = 12;
const MAX_DIGITS = 19;
/** 0 and 1 are no card schemes, but airlines and what ISO keeps; times in milliseconds begin with 1. */
const issuer = /^[2-9]/;
/** Of the length of a card, and one in ten would pass the check: ISBN-13, and a compact date and time. */
const otherNumber =
  /^(?:97[89]\d{10}|20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)$/;
const separator = /^[ .-]+$/;
const year = /^(?:19|20)\d\d$/;

export const card: Detector = {
  type: 'card',
  detect: ({ text, runs }) =>
    runs.flatMap(({ groups }) => {
      const hits: PiiHit[] = [];
      for (let first = 0; first < groups.length;) {
        const count = cardAt(text, groups, first);
        const start = groups[first]?.start ?? 0;
        if (count > 0) hits.push({ type: 'card', start, end: groups[first + count - 1]?.end ?? start });
        first += Math.max(count, 1);
      }
      return hits;
    }),
};

/** How many groups from `first` on are a card; 0 for none. The longest wins. */
function cardAt(text: string, groups: readonly DigitGroup[], first: number): number {
  const head = groups[first];
  // "0.30000000000000004": what follows a decimal point is no number of its own.
  if (!head || head.gap === '.' || !issuer.test(head.digits)) return 0;
  let digits = '';
  let found = 0;
  for (let count = 1; first + count <= groups.length && mayGoOn(groups, first, count); count++) {
    digits += groups[first + count - 1]?.digits ?? '';
    if (digits.length > MAX_DIGITS) break;
    if (digits.length < MIN_DIGITS || otherNumber.test(digits) || !hasLuhnDigit(digits)) continue;
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

function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(at) - 48;
    const doubled = (digits.length - at) % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

// Phone numbers, in four forms: after a plus sign (or 00), North American (3-3-4), national with a leading 0 that a numbering
// plan of the chosen regions knows, and any number after words such as "call me at". Digits without separators need such words:
// they are as likely an order number.
import { phoneBefore, textBefore, CONTEXT_REACH } from '../context-words.ts';
import { digitsOf, touchesLetters, type DigitGroup, type DigitRun } from '../digit-runs.ts';
import type { Detector, PiiHit, Segment } from '../pii-types.ts';

/** ITU-T E.164: at most 15 digits; 7 is the shortest that is dialled in full. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
const MIN_NATIONAL_DIGITS = 9;
const MAX_NATIONAL_DIGITS = 12;
const dateLike = /^(?:\d{4}[-./ ]{1,3}\d{1,2}[-./ ]{1,3}\d{1,2}|\d{1,2}[-./ ]{1,3}\d{1,2}[-./ ]{1,3}(?:\d{4}|\d{2}))$/;
const northAmericanShape = /^(?:1 )?[2-9]\d\d \d{3} \d{4}$/;

export const phone: Detector = {
  type: 'phone',
  detect: (segment) => segment.runs.flatMap((run) => phonesIn(segment, run)),
};

type Window = readonly DigitGroup[];

function phonesIn(segment: Segment, run: DigitRun): PiiHit[] {
  const named = behindWords(segment, run);
  if (named) return [named];
  const hits: PiiHit[] = [];
  for (let at = 0; at < run.groups.length; at++) {
    // No number has more groups than digits.
    const groups = run.groups.slice(at, at + MAX_DIGITS + 2);
    const window = international(segment, run, groups) ?? national(segment, groups) ?? northAmerican(segment, groups);
    if (!window) continue;
    const start = at === 0 ? run.start : (window[0]?.start ?? 0);
    hits.push({ type: 'phone', start, end: window.at(-1)?.end ?? start });
    at += window.length - 1;
  }
  return hits;
}

/** +49 30 123456, 0049 30 123456: the longest that is possible, as what follows in the run may be another number. */
function international({ text, phones }: Segment, run: DigitRun, groups: Window): Window | undefined {
  const first = groups[0];
  const plus = first === run.groups[0] && run.lead.includes('+');
  if (!plus && !(first?.digits.startsWith('00') && beginsNumber(first))) return undefined;
  return windows(groups, MAX_DIGITS + 2).find((window) => {
    const digits = digitsOf(window).slice(plus ? 0 : 2);
    const fits = digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS && !digits.startsWith('0');
    return fits && isFree(text, window) && phones.isInternational(digits);
  });
}

/** 030 123456 */
function national({ text, phones }: Segment, groups: Window): Window | undefined {
  const first = groups[0];
  if (!first || !/^0\d/.test(first.digits) || !beginsNumber(first)) return undefined;
  return windows(groups, MAX_NATIONAL_DIGITS).find((window) => {
    const digits = digitsOf(window);
    const fits = window.length > 1 && digits.length >= MIN_NATIONAL_DIGITS && !isDate(text, window);
    return fits && isFree(text, window) && phones.isNational(digits);
  });
}

/** 555-123-4567, (555) 123 4567, 1-555-123-4567 */
function northAmerican({ text, phones }: Segment, groups: Window): Window | undefined {
  const length = groups[0]?.digits.length;
  if (!phones.hasNorthAmerica || (length !== 1 && length !== 3)) return undefined;
  const window = [4, 3].map((count) => groups.slice(0, count)).find(isNorthAmerican);
  return window && isFree(text, window) ? window : undefined;
}

/** Any number after "phone:", "call me at". */
function behindWords({ text }: Segment, run: DigitRun): PiiHit | undefined {
  const window = windows(run.groups, MAX_DIGITS)[0] ?? [];
  if (digitsOf(window).length < MIN_DIGITS || isDate(text, window) || !isFree(text, window)) return undefined;
  if (!phoneBefore.test(textBefore(text, run.start))) return undefined;
  const contextStart = Math.max(0, run.start - CONTEXT_REACH);
  return { type: 'phone', start: run.start, end: window.at(-1)?.end ?? run.start, contextStart };
}

const isNorthAmerican = (window: Window): boolean =>
  northAmericanShape.test(window.map((group) => group.digits).join(' '));

/** A number begins at the run's first group or after a space, not after a dash. */
const beginsNumber = (group: DigitGroup): boolean => group.gap === '' || group.gap.endsWith(' ');

/** The groups from the first on, of at most `maxDigits` digits; the longest window first. */
function windows(groups: Window, maxDigits: number): Window[] {
  let digits = 0;
  const fitting = groups.findIndex((group) => (digits += group.digits.length) > maxDigits);
  const longest = fitting < 0 ? groups.length : fitting;
  return Array.from({ length: longest }, (_, shorter) => groups.slice(0, longest - shorter));
}

function isDate(text: string, window: Window): boolean {
  return dateLike.test(text.slice(window[0]?.start, window.at(-1)?.end));
}

function isFree(text: string, window: Window): boolean {
  return !touchesLetters(text, window[0]?.start ?? 0, window.at(-1)?.end ?? 0);
}

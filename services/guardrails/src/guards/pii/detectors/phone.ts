// Phone numbers in five forms: after a plus sign (or 00), North American (3-3-4), national with a leading 0 or in the
// groups of a numbering plan of the selected regions, with an area code in brackets, and any number next to words such
// as "call me at". Digits without separators need such words, because they may as well be an order number.
import { CONTEXT_REACH, isCountedBefore, isPhoneBefore, phoneAfter, takeTextBefore } from '../context-words.ts';
import { joinDigits, isNextToLetters, type DigitGroup, type DigitRun } from '../digit-runs.ts';
import type { Detector, PiiHit, PiiSegment } from '../pii-types.ts';
import { isOtherShape } from './other-shapes.ts';

/** ITU-T E.164: at most 15 digits; 7 is the shortest complete number. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
const MIN_NATIONAL_DIGITS = 9;
const MAX_NATIONAL_DIGITS = 12;
/** Maximum number of groups in a number. */
const MAX_GROUPS = 9;
const northAmericanShape = /^(?:1 )?[2-9]\d\d \d{3} \d{4}$/;
const bracketed = /^\)[ -]?$/;
const year = /^(?:19|20)\d\d$/;
const extension = /[ ,;]{0,2}(?:x|ext(?:ension)?\.?|poste|durchwahl|#)[ .:]{0,2}\d{1,6}(?!\d)/iy;

export const phone: Detector = {
  type: 'phone',
  detect: (segment) => segment.runs.flatMap((run) => findPhones(segment, run)),
};

type GroupWindow = readonly DigitGroup[];

function findPhones(segment: PiiSegment, run: DigitRun): PiiHit[] {
  const named = findByContext(segment, run);
  if (named) return [named];
  if (isCountedBefore(takeTextBefore(segment.text, run.start))) return [];
  const hits: PiiHit[] = [];
  for (let at = 0; at < run.groups.length; at++) {
    const groups = run.groups.slice(at, at + MAX_GROUPS);
    const window =
      findInternational(segment, run, groups) ??
      findNational(segment, groups) ??
      findNorthAmerican(segment, groups) ??
      (at === 0 ? findBracketedArea(segment, run) : undefined) ??
      findFormatted(segment, groups);
    if (!window) continue;
    const start = at === 0 ? run.start : (window[0]?.start ?? 0);
    hits.push({ type: 'phone', start, end: findEnd(segment.text, window) });
    at += window.length - 1;
  }
  return hits;
}

/** +49 30 123456, 0049 30 123456: takes the longest possible number, because the rest of the run may be another one. */
function findInternational({ text, phones }: PiiSegment, run: DigitRun, groups: GroupWindow): GroupWindow | undefined {
  const first = groups[0];
  const plus = first === run.groups[0] && run.lead.includes('+');
  const access = plus ? '' : (/^(?:00|011)/.exec(first?.digits ?? '')?.[0] ?? '');
  if (!plus && (access === '' || !first || !startsNumber(first))) return undefined;
  return listWindows(groups, MAX_DIGITS + access.length).find((window) => {
    const digits = joinDigits(window).slice(access.length);
    const fits = digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS && !digits.startsWith('0');
    return fits && isFree(text, window) && !isOtherShape(text, window) && phones.isInternational(digits);
  });
}

/** 030 123456 */
function findNational({ text, phones }: PiiSegment, groups: GroupWindow): GroupWindow | undefined {
  const first = groups[0];
  if (!first || !/^0[1-9]/.test(first.digits) || !startsNumber(first)) return undefined;
  return listWindows(groups, MAX_NATIONAL_DIGITS).find((window) => {
    const digits = joinDigits(window);
    const fits = window.length > 1 && digits.length >= MIN_NATIONAL_DIGITS && phones.isNational(digits);
    return fits && isFree(text, window) && !isOtherShape(text, window);
  });
}

/** 555-123-4567, (555) 123 4567, 1-555-123-4567 */
function findNorthAmerican({ text, phones }: PiiSegment, groups: GroupWindow): GroupWindow | undefined {
  const length = groups[0]?.digits.length;
  if (!phones.hasNorthAmerica || (length !== 1 && length !== 3)) return undefined;
  const window = [4, 3].map((count) => groups.slice(0, count)).find(isNorthAmerican);
  return window && isFree(text, window) && !isOtherShape(text, window) ? window : undefined;
}

/** (11) 1234-5678 */
function findBracketedArea({ text }: PiiSegment, run: DigitRun): GroupWindow | undefined {
  const [area, second] = run.groups;
  if (!area || !second || !run.lead.endsWith('(') || !bracketed.test(second.gap)) return undefined;
  if (area.digits.length < 2 || area.digits.length > 5 || year.test(area.digits)) return undefined;
  return listWindows(run.groups.slice(0, MAX_GROUPS), MAX_NATIONAL_DIGITS).find((window) => {
    const digits = joinDigits(window);
    return window.length > 1 && digits.length >= MIN_NATIONAL_DIGITS - 1 && isFree(text, window);
  });
}

/** 612 34 56 78 */
function findFormatted({ text, phones }: PiiSegment, groups: GroupWindow): GroupWindow | undefined {
  const first = groups[0];
  if (!first || !startsNumber(first)) return undefined;
  return [4, 3]
    .map((count) => groups.slice(0, count))
    .find((window) => {
      const isNext = groups[window.length]?.gap === window.at(-1)?.gap;
      const digits = window.map((group) => group.digits);
      return (
        window.length >= 3 &&
        !isNext &&
        phones.isFormatted(digits) &&
        isFree(text, window) &&
        !isOtherShape(text, window)
      );
    });
}

/** Takes any number after "phone:" or "call me at", or before "(office)". */
function findByContext({ text }: PiiSegment, run: DigitRun): PiiHit | undefined {
  const window = listWindows(run.groups.slice(0, MAX_DIGITS), MAX_DIGITS)[0] ?? [];
  const end = findEnd(text, window);
  const digits = joinDigits(window).length;
  if (digits < MIN_DIGITS || isOtherShape(text, window)) return undefined;
  const isBefore = isPhoneBefore(takeTextBefore(text, run.start));
  const isAfter = phoneAfter.test(text.slice(end, end + CONTEXT_REACH));
  // "tel5551234" is a number after a word, "5551234km" is not a phone number.
  const isTouched = isNextToLetters(text, isBefore ? end : run.start, end);
  if (!(isBefore || isAfter) || (isTouched && end === window.at(-1)?.end)) return undefined;
  return {
    type: 'phone',
    start: run.start,
    end,
    contextStart: isBefore ? Math.max(0, run.start - CONTEXT_REACH) : run.start,
  };
}

const isNorthAmerican = (window: GroupWindow): boolean =>
  northAmericanShape.test(window.map((group) => group.digits).join(' '));

/** A number begins at the run's first group or after a space, not after a dash. */
const startsNumber = (group: DigitGroup): boolean => group.gap === '' || group.gap.endsWith(' ');

/** Returns the windows that start with the first group and have at most `maxDigits` digits, the longest first. */
function listWindows(groups: GroupWindow, maxDigits: number): GroupWindow[] {
  let digits = 0;
  const fitting = groups.findIndex((group) => (digits += group.digits.length) > maxDigits);
  const longest = fitting < 0 ? groups.length : fitting;
  return Array.from({ length: longest }, (_, shorter) => groups.slice(0, longest - shorter));
}

/** Returns the end of the number with its extension. */
function findEnd(text: string, window: GroupWindow): number {
  const end = window.at(-1)?.end ?? 0;
  extension.lastIndex = end;
  return end + (extension.exec(text)?.[0].length ?? 0);
}

function isFree(text: string, window: GroupWindow): boolean {
  const start = window[0]?.start ?? 0;
  const end = window.at(-1)?.end ?? 0;
  return !isNextToLetters(text, start, findEnd(text, window) > end ? start : end);
}

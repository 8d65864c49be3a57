// US social security numbers. Numbers that are never assigned (area 000, 666 and from 900, group 00, serial 0000; SSA,
// "Social Security Number Randomization") are hits only after the words "social security".
import { socialSecurityBefore, takeTextBefore } from '../context-words.ts';
import { findDigitRuns, joinDigits, isNextToLetters, type DigitGroup } from '../digit-runs.ts';
import type { Detector, PiiHit, PiiSegment } from '../pii-types.ts';

const GROUPS = 3;
const DIGITS = 9;
/** Remaining digits of a number that a program stored without leading zeros: area 001 starts with two. */
const MIN_DIGITS = 7;
const shape = '3 2 4';
const assignable = /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/;
const looseGap = /^ ?(?:[_|,]|\*{1,2}[ -]?\*{1,2}) ?$/;

export const ssn: Detector = {
  type: 'ssn',
  detect: (segment) => [
    ...segment.runs.flatMap(({ groups }) =>
      groups.flatMap((_, at) => findGrouped(segment, groups, at) ?? findBare(segment, groups[at]) ?? []),
    ),
    ...findLoose(segment),
  ],
};

/** 123-45-6789, 123 45 6789, 123.45.6789: three groups with the same separator. */
function findGrouped({ text }: PiiSegment, groups: readonly DigitGroup[], at: number): PiiHit | undefined {
  if (groups[at]?.digits.length !== 3) return undefined;
  const window = groups.slice(at, at + GROUPS);
  const separators = window.slice(1).map(({ gap }) => gap.trim());
  const isShaped = hasShape(window) && separators[0] === separators[1] && ['-', '', '.'].includes(separators[0] ?? '?');
  if (!isShaped || hasMoreGroups(groups, at)) return undefined;
  return toSsnHit(text, window);
}

function findBare({ text }: PiiSegment, group: DigitGroup | undefined): PiiHit | undefined {
  if (!group || group.digits.length < MIN_DIGITS || group.digits.length > DIGITS) return undefined;
  const isNamed = socialSecurityBefore.test(takeTextBefore(text, group.start));
  if (!isNamed || isNextToLetters(text, group.end, group.end)) return undefined;
  if (!assignable.test(group.digits.padStart(DIGITS, '0'))) return undefined;
  return { type: 'ssn', start: group.start, end: group.end };
}

/** 123_45_6789, **123** **45** **6789**, without further groups. */
function findLoose({ text }: PiiSegment): PiiHit[] {
  return findDigitRuns(text, 'loose').flatMap(({ groups }) => {
    const gap = groups[1]?.gap ?? '';
    const isShaped = groups.length === GROUPS && hasShape(groups) && groups[2]?.gap === gap && looseGap.test(gap);
    return isShaped ? (toSsnHit(text, groups) ?? []) : [];
  });
}

function toSsnHit(text: string, window: readonly DigitGroup[]): PiiHit | undefined {
  const start = window[0]?.start ?? 0;
  const end = window.at(-1)?.end ?? 0;
  const isNamed = socialSecurityBefore.test(takeTextBefore(text, start));
  if (isNextToLetters(text, isNamed ? end : start, end)) return undefined;
  return isNamed || assignable.test(joinDigits(window)) ? { type: 'ssn', start, end } : undefined;
}

const hasShape = (window: readonly DigitGroup[]): boolean =>
  window.map(({ digits }) => digits.length).join(' ') === shape;

/** Returns whether the number continues before or after the window, as an article number does. */
function hasMoreGroups(groups: readonly DigitGroup[], at: number): boolean {
  return groups[at]?.gap === '-' || groups[at + GROUPS]?.gap === '-';
}

// US social security numbers. Which are never given out: SSA, "Social Security Number Randomization" (area 000, 666 and 900 on,
// group 00, serial 0000); behind the words "social security" those are told too.
import { socialSecurityBefore, textBefore } from '../context-words.ts';
import { digitRuns, digitsOf, touchesLetters, type DigitGroup } from '../digit-runs.ts';
import type { Detector, PiiHit, Segment } from '../pii-types.ts';

const GROUPS = 3;
const DIGITS = 9;
/** What is left of 9 digits that a program took for a number: area 001 begins with two zeros. */
const MIN_DIGITS = 7;
const shape = '3 2 4';
const assignable = /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/;
const looseGap = /^ ?(?:[_|,]|\*{1,2}[ -]?\*{1,2}) ?$/;

export const ssn: Detector = {
  type: 'ssn',
  detect: (segment) => [
    ...segment.runs.flatMap(({ groups }) =>
      groups.flatMap((_, at) => grouped(segment, groups, at) ?? bare(segment, groups[at]) ?? []),
    ),
    ...loose(segment),
  ],
};

/** 123-45-6789, 123 45 6789, 123.45.6789: three groups with the same separator. */
function grouped({ text }: Segment, groups: readonly DigitGroup[], at: number): PiiHit | undefined {
  if (groups[at]?.digits.length !== 3) return undefined;
  const window = groups.slice(at, at + GROUPS);
  const separators = window.slice(1).map(({ gap }) => gap.trim());
  const isShaped = hasShape(window) && separators[0] === separators[1] && ['-', '', '.'].includes(separators[0] ?? '?');
  if (!isShaped || continues(groups, at)) return undefined;
  return hitOf(text, window);
}

function bare({ text }: Segment, group: DigitGroup | undefined): PiiHit | undefined {
  if (!group || group.digits.length < MIN_DIGITS || group.digits.length > DIGITS) return undefined;
  const isNamed = socialSecurityBefore.test(textBefore(text, group.start));
  if (!isNamed || touchesLetters(text, group.end, group.end)) return undefined;
  if (!assignable.test(group.digits.padStart(DIGITS, '0'))) return undefined;
  return { type: 'ssn', start: group.start, end: group.end };
}

/** 123_45_6789, **123** **45** **6789**: and no more groups than these. */
function loose({ text }: Segment): PiiHit[] {
  return digitRuns(text, 'loose').flatMap(({ groups }) => {
    const gap = groups[1]?.gap ?? '';
    const isShaped = groups.length === GROUPS && hasShape(groups) && groups[2]?.gap === gap && looseGap.test(gap);
    return isShaped ? (hitOf(text, groups) ?? []) : [];
  });
}

function hitOf(text: string, window: readonly DigitGroup[]): PiiHit | undefined {
  const start = window[0]?.start ?? 0;
  const end = window.at(-1)?.end ?? 0;
  const isNamed = socialSecurityBefore.test(textBefore(text, start));
  if (touchesLetters(text, isNamed ? end : start, end)) return undefined;
  return isNamed || assignable.test(digitsOf(window)) ? { type: 'ssn', start, end } : undefined;
}

const hasShape = (window: readonly DigitGroup[]): boolean =>
  window.map(({ digits }) => digits.length).join(' ') === shape;

/** Whether the same number goes on before or after: an article number, not a window of one. */
function continues(groups: readonly DigitGroup[], at: number): boolean {
  return groups[at]?.gap === '-' || groups[at + GROUPS]?.gap === '-';
}

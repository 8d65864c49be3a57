// US social security numbers. Which are never given out: SSA, "Social Security Number Randomization" (area 000, 666 and 900 on,
// group 00, serial 0000).
import { digitsOf, touchesLetters, type DigitGroup } from '../digit-runs.ts';
import type { Detector } from '../pii-types.ts';
import { socialSecurityBefore, textBefore } from '../context-words.ts';

const GROUPS = 3;
const shape = '3 2 4';
const assignable = /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/;

export const ssn: Detector = {
  type: 'ssn',
  detect: ({ text, runs }) =>
    runs.flatMap(({ groups }) =>
      groups.flatMap((group, at) => {
        if (group.digits.length !== 3 && group.digits.length !== 9) return [];
        const window = groups.slice(at, at + GROUPS);
        const grouped = isGrouped(window) && !continues(groups, at);
        const bare = group.digits.length === 9 && socialSecurityBefore.test(textBefore(text, group.start));
        const end = grouped ? window.at(-1)?.end : group.end;
        if (!(grouped || bare) || end === undefined || touchesLetters(text, group.start, end)) return [];
        if (!assignable.test(grouped ? digitsOf(window) : group.digits)) return [];
        return [{ type: 'ssn' as const, start: group.start, end }];
      }),
    ),
};

/** 123-45-6789, 123 45 6789, 123.45.6789: three groups with the same separator. */
function isGrouped(window: readonly DigitGroup[]): boolean {
  const separators = window.slice(1).map((group) => group.gap.trim());
  return (
    window.map((group) => group.digits.length).join(' ') === shape &&
    separators[0] === separators[1] &&
    ['-', '', '.'].includes(separators[0] ?? '?')
  );
}

/** Whether the same number goes on before or after: an article number, not a window of one. */
function continues(groups: readonly DigitGroup[], at: number): boolean {
  return groups[at]?.gap === '-' || groups[at + GROUPS]?.gap === '-';
}

// Digits with the shape of another kind of number than a phone number: dates, social security numbers, postal codes
// with four more digits, ISBNs, addresses of machines, columns of a hex dump.
import { isIPv4 } from 'node:net';
import type { DigitGroup } from '../digit-runs.ts';

const day = '(?:0?[1-9]|[12]\\d|3[01])';
const month = '(?:0?[1-9]|1[0-2])';
const year = '(?:19|20)\\d\\d';
const hour = '(?:[ -][0-2]?\\d)?';
/** Day, month and year in order; a year of two digits only if all three have the same separator. */
const date = new RegExp(
  `^(?:${year}[-./ ]{1,3}${month}[-./ ]{1,3}${day}${hour}|(?:${day}[-./ ]{1,3}${month}|${month}[-./ ]{1,3}${day})[-./ ]{1,3}${year}${hour}|` +
    `(?:${day}([-./])${month}\\1|${month}([-./])${day}\\2)\\d\\d)$`,
);
const describeShape = (window: readonly DigitGroup[]): string =>
  window.map(({ digits, gap }) => `${gap.trim()}${digits.length}`).join(' ');
/** 123-45-6789 and 12345-6789, 0-306-40615-2 */
const others = /^(?:3 [-.]?2 [-.]?4|5 -4|1 -\d -\d -1|1 -\d{1,2} -\d{1,2}|3 -1 -\d -\d -1)$/;
/** Distance around a number within which a dump's columns are searched, in code units. */
const REACH = 40;
const MIN_COLUMNS = 2;
const hexGroup = /^(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])(?:[0-9a-f]{2}|[0-9a-f]{4}|[0-9a-f]{8})$/i;

export function isOtherShape(text: string, window: readonly DigitGroup[]): boolean {
  const start = window[0]?.start ?? 0;
  const end = window.at(-1)?.end ?? start;
  return (
    isIPv4(text.slice(start, end)) ||
    date.test(text.slice(start, end)) ||
    others.test(describeShape(window)) ||
    isInHexDump(text, window, start, end)
  );
}

/** Returns whether the digits are in a row of words such as 6c6f and 0a. */
function isInHexDump(text: string, window: readonly DigitGroup[], start: number, end: number): boolean {
  if (!window.every(({ digits }) => /^(?:..|.{4}|.{7,8})$/.test(digits))) return false;
  const before = /((?:[0-9a-f]{2,8}:? +)+)$/i.exec(text.slice(Math.max(0, start - REACH), start))?.[1] ?? '';
  const after = /^((?: +[0-9a-f]{2,8}\b)+)/i.exec(text.slice(end, end + REACH))?.[1] ?? '';
  const words = `${before} ${after}`.split(/[: ]+/).filter((word) => word !== '');
  return words.length >= MIN_COLUMNS && words.some((word) => hexGroup.test(word));
}

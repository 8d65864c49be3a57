// A value as people read it: whole numbers and short decimals exactly, the rest to fifteen digits.
import { PRECISION, type Value } from './functions.ts';

/** The last digits carry the rounding of the steps before: without them (1/3)*3 is 1. */
const GUARD_DIGITS = 6;
/** Decimals up to this many significant digits are shown as they are. */
const SHORT_DIGITS = 20;
/** What a double holds without doubt. */
const ROUNDED_DIGITS = 15;

export function settled(value: Value): Value {
  return value.toSignificantDigits(PRECISION - GUARD_DIGITS);
}

/** @param value settled */
export function formatValue(value: Value): string {
  if (value.isZero()) return '0';
  if (value.isInteger() && value.e < PRECISION - GUARD_DIGITS) return value.toFixed();
  return (value.precision() <= SHORT_DIGITS ? value : value.toSignificantDigits(ROUNDED_DIGITS)).toString();
}

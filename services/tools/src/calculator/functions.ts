// Numbers, functions and constants of the calculator. Decimal, because 0.1 + 0.2 is 0.3 and sums of money have more
// digits than a double.
import { Decimal } from 'decimal.js';
import { createNoValueError } from './calculator-error.ts';

/** Number of significant digits of a computation. */
export const PRECISION = 64;
/** Limits the work as well as the value: a remainder takes as many digits as the difference of the exponents. */
const MAX_EXPONENT = 308;

/** Larger values are Infinity, smaller ones 0. Halves are rounded away from zero; a remainder has the sign of the dividend. */
export const Numeric = Decimal.clone({
  precision: PRECISION,
  rounding: Decimal.ROUND_HALF_UP,
  modulo: Decimal.ROUND_DOWN,
  maxE: MAX_EXPONENT,
  minE: -MAX_EXPONENT,
});
export type CalculatorValue = Decimal;

/** Takes one to `maxArgs` arguments. @param at position for an error */
type CalculatorFunction = {
  maxArgs: number;
  apply(first: CalculatorValue, rest: CalculatorValue[], at: number): CalculatorValue;
};

export const FUNCTIONS: ReadonlyMap<string, CalculatorFunction> = new Map([
  ['sqrt', defineUnary((value) => value.sqrt())],
  ['abs', defineUnary((value) => value.abs())],
  ['floor', defineUnary((value) => value.floor())],
  ['ceil', defineUnary((value) => value.ceil())],
  ['round', { maxArgs: 2, apply: (value, [places], at) => roundValue(value, places, at) }],
  ['min', { maxArgs: Infinity, apply: (first, rest) => Numeric.min(first, ...rest) }],
  ['max', { maxArgs: Infinity, apply: (first, rest) => Numeric.max(first, ...rest) }],
]);

export const CONSTANTS: ReadonlyMap<string, CalculatorValue> = new Map([
  ['pi', Numeric.acos(-1)],
  ['π', Numeric.acos(-1)],
  ['e', Numeric.exp(1)],
]);

function defineUnary(apply: (value: CalculatorValue) => CalculatorValue): CalculatorFunction {
  return { maxArgs: 1, apply };
}

/** @throws tool-failed */
function roundValue(value: CalculatorValue, places: CalculatorValue | undefined, at: number): CalculatorValue {
  if (places === undefined) return value.round();
  const isCount = places.isInteger() && places.gte(0) && places.lte(PRECISION);
  if (!isCount) throw createNoValueError(at, `round takes a whole number of places from 0 to ${PRECISION}`);
  return value.toDecimalPlaces(places.toNumber());
}

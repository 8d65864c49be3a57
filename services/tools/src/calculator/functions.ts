// The numbers of the calculator, and the functions and constants that it knows. Decimal, because 0.1 + 0.2 is 0.3 and sums of
// money have more digits than a double.
import { Decimal } from 'decimal.js';
import { noValue } from './calculator-error.ts';

/** Significant digits that are computed with. */
export const PRECISION = 64;
/** Bounds the work as well as the value: a remainder takes as many digits as the exponents are apart. */
const MAX_EXPONENT = 308;

/** Larger values are Infinity, smaller ones 0. Halves are rounded away from zero; a remainder has the sign of the dividend. */
export const Numeric = Decimal.clone({
  precision: PRECISION,
  rounding: Decimal.ROUND_HALF_UP,
  modulo: Decimal.ROUND_DOWN,
  maxE: MAX_EXPONENT,
  minE: -MAX_EXPONENT,
});
export type Value = Decimal;

/** Takes one to `maxArgs` arguments. @param at for what has no value */
type CalculatorFunction = { maxArgs: number; apply(first: Value, rest: Value[], at: number): Value };

export const FUNCTIONS: ReadonlyMap<string, CalculatorFunction> = new Map([
  ['sqrt', unary((value) => value.sqrt())],
  ['abs', unary((value) => value.abs())],
  ['floor', unary((value) => value.floor())],
  ['ceil', unary((value) => value.ceil())],
  ['round', { maxArgs: 2, apply: (value, [places], at) => rounded(value, places, at) }],
  ['min', { maxArgs: Infinity, apply: (first, rest) => Numeric.min(first, ...rest) }],
  ['max', { maxArgs: Infinity, apply: (first, rest) => Numeric.max(first, ...rest) }],
]);

export const CONSTANTS: ReadonlyMap<string, Value> = new Map([
  ['pi', Numeric.acos(-1)],
  ['π', Numeric.acos(-1)],
  ['e', Numeric.exp(1)],
]);

function unary(apply: (value: Value) => Value): CalculatorFunction {
  return { maxArgs: 1, apply };
}

/** @throws tool-failed */
function rounded(value: Value, places: Value | undefined, at: number): Value {
  if (places === undefined) return value.round();
  const isCount = places.isInteger() && places.gte(0) && places.lte(PRECISION);
  if (!isCount) throw noValue(at, `round takes a whole number of places from 0 to ${PRECISION}`);
  return value.toDecimalPlaces(places.toNumber());
}

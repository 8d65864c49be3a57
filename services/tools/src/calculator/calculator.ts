// The tool `calculator`, because models are bad at arithmetic. Limits on length, depth and the size of numbers bound
// its time; it never executes code.
import { defineTool } from '@millrace/processor';
import { z } from 'zod';
import { createNoValueError } from './calculator-error.ts';
import { evaluate } from './evaluate.ts';
import { parseExpression } from './parse-expression.ts';
import { PRECISION, type CalculatorValue } from './functions.ts';

/** Digits that absorb the rounding of earlier steps: without them (1/3)*3 is not 1. */
const GUARD_DIGITS = 6;
/** Maximum number of significant digits that are shown unrounded. */
const SHORT_DIGITS = 20;
/** Significant digits that a double holds exactly. */
const ROUNDED_DIGITS = 15;

function settleValue(value: CalculatorValue): CalculatorValue {
  return value.toSignificantDigits(PRECISION - GUARD_DIGITS);
}

/**
 * Formats whole numbers and short decimals exactly, and other values with fifteen digits.
 *
 * @param value settled
 */
function formatValue(value: CalculatorValue): string {
  if (value.isZero()) return '0';
  if (value.isInteger() && value.e < PRECISION - GUARD_DIGITS) return value.toFixed();
  return (value.precision() <= SHORT_DIGITS ? value : value.toSignificantDigits(ROUNDED_DIGITS)).toString();
}

export const MAX_CHARACTERS = 1_000;

const inputSchema = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(MAX_CHARACTERS)
    .describe('for example "17 * 23", "(1,250 - 80) / 3", "round(sqrt(2) * 100, 1)"'),
});

/** `result`: the nearest double. `text`: the expression with its value, which can have more digits than a double. */
export type Calculation = { expression: string; result: number; text: string };

export const calculator = defineTool({
  name: 'calculator',
  description:
    'Calculates an arithmetic expression exactly. Use it for all arithmetic. Operators: + - * / % (remainder) ^ (power), ' +
    'parentheses. Constants: pi, e. Functions: sqrt, abs, floor, ceil, round(x) or round(x, places), min, max. ' +
    'A percentage is written as a fraction: 15 / 100 * 80.',
  inputSchema,
  idempotent: true,
  effect: 'read',
  timeoutMs: 5_000,
  execute: ({ expression }) => calculate(expression),
});

/** @throws tool-arguments-invalid if the expression cannot be parsed, tool-failed if it has no value */
export function calculate(source: string): Calculation {
  const expression = source.trim();
  const value = settleValue(evaluate(parseExpression(expression)));
  const result = value.toNumber();
  if (!Number.isFinite(result)) throw createNoValueError(0, 'this is too large');
  // JSON has no -0.
  return { expression, result: result === 0 ? 0 : result, text: `${expression} = ${formatValue(value)}` };
}

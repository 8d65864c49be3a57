// The tool `calculator`: models are bad at arithmetic. Bounded in length, depth and the size of numbers, so that no expression
// takes long; nothing is ever executed as code.
import { defineTool } from '@millrace/processor';
import { z } from 'zod';
import { noValue } from './calculator-error.ts';
import { evaluate } from './evaluate.ts';
import { formatValue, settled } from './format-value.ts';
import { parseExpression } from './parse-expression.ts';

export const MAX_CHARACTERS = 1_000;

const inputSchema = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(MAX_CHARACTERS)
    .describe('for example "17 * 23", "(1,250 - 80) / 3", "round(sqrt(2) * 100, 1)"'),
});

/** `result`: the nearest double. `text`: the expression with its value, whose digits may be more than a double's. */
export type Calculation = { expression: string; result: number; text: string };

export const calculator = defineTool({
  name: 'calculator',
  description:
    'Calculates an arithmetic expression exactly. Use it for all arithmetic. Operators: + - * / % (remainder) ^ (power), ' +
    'parentheses. Constants: pi, e. Functions: sqrt, abs, floor, ceil, round(x) or round(x, places), min, max. ' +
    'A percentage is written as a fraction: 15 / 100 * 80.',
  inputSchema,
  idempotent: true,
  timeoutMs: 5_000,
  execute: ({ expression }) => calculate(expression),
});

/** @throws tool-arguments-invalid where the expression cannot be read, tool-failed where it has no value */
export function calculate(source: string): Calculation {
  const expression = source.trim();
  const value = settled(evaluate(parseExpression(expression)));
  const result = value.toNumber();
  if (!Number.isFinite(result)) throw noValue(0, 'this is too large');
  // JSON has no -0.
  return { expression, result: result === 0 ? 0 : result, text: `${expression} = ${formatValue(value)}` };
}

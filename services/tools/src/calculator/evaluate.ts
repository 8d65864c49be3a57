// Evaluates a tree. Checks every step, so that an error has the position of the operation without a value.
import { createNoValueError } from './calculator-error.ts';
import { CONSTANTS, FUNCTIONS, Numeric, type CalculatorValue } from './functions.ts';
import type { BinaryOperator, Expression } from './parse-expression.ts';

/** Maximum number of powers with a fraction as exponent: each takes as long as thousands of sums. */
const MAX_FRACTIONAL_POWERS = 20;

/** @throws tool-failed, with the position */
export const evaluate = (expression: Expression): CalculatorValue => evaluateNode(expression, { fractionalPowers: 0 });

type Work = { fractionalPowers: number };

function evaluateNode(expression: Expression, work: Work): CalculatorValue {
  switch (expression.kind) {
    case 'number':
      return checkValue(new Numeric(expression.text), expression.at);
    case 'constant':
      return CONSTANTS.get(expression.text) ?? new Numeric(NaN);
    case 'negation':
      return evaluateNode(expression.operand, work).neg();
    case 'binary': {
      const { operator, at } = expression;
      const [left, right] = [evaluateNode(expression.left, work), evaluateNode(expression.right, work)];
      if (operator === '^' && !right.isInteger()) countPower(work, at);
      return checkValue(operate(operator, left, right, at), at);
    }
    case 'call': {
      const { name, first, rest, at } = expression;
      const given = evaluateNode(first, work);
      const others = rest.map((one) => evaluateNode(one, work));
      const value = FUNCTIONS.get(name)?.apply(given, others, at);
      return checkValue(value ?? new Numeric(NaN), at);
    }
  }
}

function countPower(work: Work, at: number): void {
  work.fractionalPowers += 1;
  if (work.fractionalPowers > MAX_FRACTIONAL_POWERS)
    throw createNoValueError(at, `more than ${MAX_FRACTIONAL_POWERS} powers have a fraction as exponent`);
}

function operate(operator: BinaryOperator, left: CalculatorValue, right: CalculatorValue, at: number): CalculatorValue {
  if (right.isZero() && (operator === '/' || operator === '%')) throw createNoValueError(at, 'it divides by zero');
  if (left.isZero() && right.isNegative() && operator === '^') throw createNoValueError(at, 'it divides by zero');
  switch (operator) {
    case '+':
      return left.plus(right);
    case '-':
      return left.minus(right);
    case '*':
      return left.times(right);
    case '/':
      return left.div(right);
    case '%':
      return left.mod(right);
    case '^':
      return left.pow(right);
  }
}

function checkValue(value: CalculatorValue, at: number): CalculatorValue {
  if (value.isNaN()) throw createNoValueError(at, 'this is not a real number');
  if (!value.isFinite()) throw createNoValueError(at, 'this is too large');
  return value;
}

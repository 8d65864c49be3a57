// Evaluates a tree. Checks every step, so that an error has the position of the operation without a value.
import { createNoValueError } from './calculator-error.ts';
import { CONSTANTS, FUNCTIONS, Numeric, type CalculatorValue } from './functions.ts';
import type { BinaryOperator, Expression } from './parse-expression.ts';

/** @throws tool-failed, with the position */
export function evaluate(expression: Expression): CalculatorValue {
  switch (expression.kind) {
    case 'number':
      return checkValue(new Numeric(expression.text), expression.at);
    case 'constant':
      return CONSTANTS.get(expression.text) ?? new Numeric(NaN);
    case 'negation':
      return evaluate(expression.operand).neg();
    case 'binary': {
      const { operator, at } = expression;
      return checkValue(operate(operator, evaluate(expression.left), evaluate(expression.right), at), at);
    }
    case 'call': {
      const { name, first, rest, at } = expression;
      const value = FUNCTIONS.get(name)?.apply(evaluate(first), rest.map(evaluate), at);
      return checkValue(value ?? new Numeric(NaN), at);
    }
  }
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

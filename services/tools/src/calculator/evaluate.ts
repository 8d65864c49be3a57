// The value of a tree. Every step is checked, so that what has no value is told of at its place.
import { noValue } from './calculator-error.ts';
import { CONSTANTS, FUNCTIONS, Numeric, type Value } from './functions.ts';
import type { BinaryOperator, Expression } from './parse-expression.ts';

/** @throws tool-failed, with the position */
export function evaluate(expression: Expression): Value {
  switch (expression.kind) {
    case 'number':
      return checked(new Numeric(expression.text), expression.at);
    case 'constant':
      return CONSTANTS.get(expression.text) ?? new Numeric(NaN);
    case 'negation':
      return evaluate(expression.operand).neg();
    case 'binary': {
      const { operator, at } = expression;
      return checked(operate(operator, evaluate(expression.left), evaluate(expression.right), at), at);
    }
    case 'call': {
      const { name, first, rest, at } = expression;
      const value = FUNCTIONS.get(name)?.apply(evaluate(first), rest.map(evaluate), at);
      return checked(value ?? new Numeric(NaN), at);
    }
  }
}

function operate(operator: BinaryOperator, left: Value, right: Value, at: number): Value {
  if (right.isZero() && (operator === '/' || operator === '%')) throw noValue(at, 'it divides by zero');
  if (left.isZero() && right.isNegative() && operator === '^') throw noValue(at, 'it divides by zero');
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

function checked(value: Value, at: number): Value {
  if (value.isNaN()) throw noValue(at, 'this is not a real number');
  if (!value.isFinite()) throw noValue(at, 'this is too large');
  return value;
}

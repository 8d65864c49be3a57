// Parses tokens into a tree by operator precedence (a Pratt parser): + - below * / % below the sign below ^, which is
// right-associative: -2^2 is -4, 2^-1 a half, 2^3^2 is 2^9. Multiplication requires a sign: 2(3) and 2pi are errors.
import { createSyntaxError } from './calculator-error.ts';
import { CONSTANTS, FUNCTIONS } from './functions.ts';
import { readTokens, type CalculatorToken } from './tokens.ts';

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '^';
/** `at`: index in the source for an error without a value. */
export type Expression =
  | { kind: 'number' | 'constant'; text: string; at: number }
  | { kind: 'negation'; operand: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression; at: number }
  | { kind: 'call'; name: string; first: Expression; rest: Expression[]; at: number };

/**
 * Maximum nesting of parentheses, signs and powers: the parser recurses to this depth, and the evaluation to this depth
 * and the length of a chain.
 */
export const MAX_DEPTH = 100;
const SIGN_POWER = 3;
const binary: ReadonlyMap<string, { operator: BinaryOperator; power: number; fromRight?: boolean }> = new Map([
  ['+', { operator: '+', power: 1 }],
  ['-', { operator: '-', power: 1 }],
  ['*', { operator: '*', power: 2 }],
  ['/', { operator: '/', power: 2 }],
  ['%', { operator: '%', power: 2 }],
  ['^', { operator: '^', power: 4, fromRight: true }],
]);

type TokenReader = { peek(): CalculatorToken; next(): CalculatorToken };

/** @throws tool-arguments-invalid, with the position */
export function parseExpression(source: string): Expression {
  const tokens = readTokens(source);
  const end: CalculatorToken = { kind: 'end', text: '', at: source.length };
  let index = 0;
  const reader: TokenReader = { peek: () => tokens[index] ?? end, next: () => tokens[index++] ?? end };
  const expression = parse(reader, 0, 0);
  if (reader.peek().kind !== 'end') throw createTokenError(reader.peek(), 'an operator');
  return expression;
}

/** Reads as long as operators bind more strongly than `power`. */
function parse(reader: TokenReader, power: number, depth: number): Expression {
  if (depth > MAX_DEPTH) throw createSyntaxError(reader.peek().at, `it is nested more than ${MAX_DEPTH} deep`);
  let left = parseOperand(reader, depth);
  for (;;) {
    const { text, at } = reader.peek();
    const found = binary.get(text);
    if (found === undefined || found.power <= power) return left;
    reader.next();
    if (text === '%') refuseSign(reader.peek());
    const right = parse(reader, found.fromRight ? found.power - 1 : found.power, depth + 1);
    left = { kind: 'binary', operator: found.operator, left, right, at };
  }
}

/** "100 + 10% - 5" means a percentage, but would silently be parsed as the remainder of 10 by -5. */
function refuseSign({ text, at }: CalculatorToken): void {
  if (text !== '+' && text !== '-') return;
  throw createSyntaxError(
    at,
    '"%" is the remainder: write a percentage as 10 / 100, a divisor with a sign in parentheses',
  );
}

function parseOperand(reader: TokenReader, depth: number): Expression {
  const token = reader.next();
  const { kind, text, at } = token;
  if (kind === 'number') return { kind, text, at };
  if (kind === 'name') return reader.peek().text === '(' ? call(reader, token, depth) : findConstant(token);
  if (text === '-') return { kind: 'negation', operand: parse(reader, SIGN_POWER, depth + 1) };
  if (text === '+') return parse(reader, SIGN_POWER, depth + 1);
  if (text !== '(') throw createTokenError(token, 'a number');
  const inner = parse(reader, 0, depth + 1);
  expectClosing(reader, token);
  return inner;
}

function call(reader: TokenReader, { text: name, at }: CalculatorToken, depth: number): Expression {
  const known = FUNCTIONS.get(name);
  if (known === undefined)
    throw createSyntaxError(at, `there is no function "${name}", only ${[...FUNCTIONS.keys()].join(', ')}`);
  const open = reader.next();
  const first = parse(reader, 0, depth + 1);
  const rest: Expression[] = [];
  while (reader.peek().text === ',') {
    reader.next();
    rest.push(parse(reader, 0, depth + 1));
  }
  expectClosing(reader, open);
  const count = rest.length + 1;
  if (count > known.maxArgs) {
    throw createSyntaxError(
      at,
      `${name} takes at most ${known.maxArgs} argument${known.maxArgs === 1 ? '' : 's'}, not ${count}`,
    );
  }
  return { kind: 'call', name, first, rest, at };
}

function findConstant({ text, at }: CalculatorToken): Expression {
  if (CONSTANTS.has(text)) return { kind: 'constant', text, at };
  const problem = FUNCTIONS.has(text) ? `${text} needs its arguments in parentheses` : `"${text}" is not known`;
  throw createSyntaxError(at, problem);
}

function expectClosing(reader: TokenReader, open: CalculatorToken): void {
  const token = reader.next();
  if (token.text === ')') return;
  throw token.kind === 'end'
    ? createSyntaxError(open.at, 'this "(" is not closed')
    : createTokenError(token, 'an operator or ")"');
}

function createTokenError({ kind, text, at }: CalculatorToken, wanted: string): Error {
  return createSyntaxError(at, kind === 'end' ? `${wanted} is missing` : `${wanted} was expected, not "${text}"`);
}

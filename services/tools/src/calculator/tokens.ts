// An expression as tokens. The comma has two meanings: within the parentheses of a function it parts arguments, anywhere else
// it groups thousands (1,000.50), so that max(1,234) is never 1234 and 1,234 + 1 never an error.
import { syntaxError } from './calculator-error.ts';

/** `text` of a number is as Decimal reads it; of an operator, its ASCII form; of a name, in small letters. */
export type Token = { kind: 'number' | 'name' | 'operator' | 'end'; text: string; at: number };

const patterns = {
  space: /\s+/y,
  number: /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y,
  grouped: /\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d*)?/y,
  name: /[\p{L}_][\p{L}\d_]*/uy,
  operator: /\*\*|[-+*/%^(),×÷·⋅−–]/y,
};
const ascii: Readonly<Record<string, string>> = { '**': '^', '×': '*', '·': '*', '⋅': '*', '÷': '/', '−': '-', '–': '-' };

/** Ends with a token of kind `end`. @throws tool-arguments-invalid */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  /** For each open parenthesis: whether it belongs to a function. */
  const open: boolean[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    return found;
  };
  const add = (kind: Token['kind'], text: string, length: number) => {
    tokens.push({ kind, text, at });
    at += length;
  };
  while (at < source.length) {
    const space = take(patterns.space);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const inArguments = open.at(-1) === true;
    const number = (inArguments ? undefined : take(patterns.grouped)) ?? take(patterns.number);
    if (number !== undefined) {
      checkNumber(number, at, source);
      add('number', number.replaceAll(',', ''), number.length);
      continue;
    }
    const name = take(patterns.name);
    if (name !== undefined) {
      add('name', name.toLowerCase(), name.length);
      continue;
    }
    const operator = take(patterns.operator);
    if (operator === undefined) throw syntaxError(at, `"${characterAt(source, at)}" is not part of arithmetic`);
    if (operator === '(') open.push(tokens.at(-1)?.kind === 'name');
    if (operator === ')') open.pop();
    if (operator === ',' && !inArguments) throw syntaxError(at, '"," groups thousands (1,000) or parts the arguments of a function; the decimal sign is "."');
    add('operator', ascii[operator] ?? operator, operator.length);
  }
  add('end', '', 0);
  return tokens;
}

// Splits an expression into tokens. Within the parentheses of a function a comma separates arguments; elsewhere it
// groups thousands (1,000.50). So 1,000 + 1 is 1001, and max(1,234) has two arguments.
import { createSyntaxError } from './calculator-error.ts';

type TokenKind = 'number' | 'name' | 'operator';
/**
 * `text`: a number without its groups; a name in lower case; an operator in ASCII, `^` for `**`. `end`: past the last
 * character.
 */
export type CalculatorToken = { kind: TokenKind | 'end'; text: string; at: number };

const token =
  /(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[\p{L}_][\p{L}\d_]*)|(?<operator>\*\*|[-+*/%^(),×·⋅÷−–])/uy;
const grouped = /\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d*)?/uy;
const space = /\s*/uy;
const ascii: Readonly<Record<string, string>> = {
  '**': '^',
  '×': '*',
  '·': '*',
  '⋅': '*',
  '÷': '/',
  '−': '-',
  '–': '-',
};

/** @throws tool-arguments-invalid, with the position */
export function readTokens(source: string): CalculatorToken[] {
  const tokens: CalculatorToken[] = [];
  /** For each open parenthesis: whether it belongs to a function. */
  const open: boolean[] = [];
  let at = measureAt(space, source, 0);
  while (at < source.length) {
    const inArguments = open.at(-1) === true;
    const { kind, raw } = readAt(source, at, inArguments);
    if (kind === 'number' && inArguments && /^0\d/.test(raw)) throw createThousandsError(at, raw);
    if (raw === ',' && !inArguments) throw createStrayCommaError(at);
    if (raw === '(') open.push(tokens.at(-1)?.kind === 'name');
    if (raw === ')') open.pop();
    tokens.push({ kind, text: toPlain(kind, raw), at });
    at += raw.length + measureAt(space, source, at + raw.length);
  }
  return tokens;
}

function readAt(source: string, at: number, inArguments: boolean): { kind: TokenKind; raw: string } {
  const groups = inArguments ? 0 : measureAt(grouped, source, at);
  if (groups > 0) return { kind: 'number', raw: source.slice(at, at + groups) };
  token.lastIndex = at;
  const { number, name, operator } = token.exec(source)?.groups ?? {};
  if (number !== undefined) return { kind: 'number', raw: number };
  if (name !== undefined) return { kind: 'name', raw: name };
  if (operator !== undefined) return { kind: 'operator', raw: operator };
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  throw createSyntaxError(at, `"${character}" is not part of an expression`);
}

function toPlain(kind: TokenKind, raw: string): string {
  if (kind === 'number') return raw.replaceAll(',', '');
  return kind === 'name' ? raw.toLowerCase() : (ascii[raw] ?? raw);
}

function measureAt(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0].length ?? 0;
}

const createStrayCommaError = (at: number) =>
  createSyntaxError(
    at,
    'a "," groups thousands, as in 1,000, or separates the arguments of a function; decimals have a "."',
  );
const createThousandsError = (at: number, raw: string) =>
  createSyntaxError(at, `"${raw}" starts with a zero: write 1000, not 1,000, in the arguments of a function`);

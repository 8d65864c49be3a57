// Answers of the calculator. calculator.property.test.ts has the properties over many expressions.
import { MillraceError } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { MAX_CHARACTERS, calculate, calculator } from './calculator.ts';
import { MAX_DEPTH } from './parse-expression.ts';

const readResult = (expression: string) => calculate(expression).text.split(' = ').at(-1);

function failure(expression: string): MillraceError {
  try {
    calculate(expression);
  } catch (error) {
    if (MillraceError.isInstance(error)) return error;
    throw error;
  }
  throw new Error(`${expression} has a value`);
}

test('the calculator answers with the expression, the number, and both as text', () => {
  expect(calculate(' 17 * 23 ')).toEqual({ expression: '17 * 23', result: 391, text: '17 * 23 = 391' });
});

describe('values', () => {
  test.each([
    ['0.1 + 0.2', '0.3'],
    ['19.99 * 3', '59.97'],
    ['(1/3) * 3', '1'],
    ['sqrt(2) ^ 2', '2'],
    ['27 ^ (1/3)', '3'],
    ['1/3', '0.333333333333333'],
    ['2/3', '0.666666666666667'],
    ['pi', '3.14159265358979'],
    ['π - PI', '0'],
    ['e', '2.71828182845905'],
    ['1.5e3 + 2E-1', '1500.2'],
    ['.5 + 5.', '5.5'],
    ['-0', '0'],
    ['0 * -5', '0'],
    ['1e100', '1e+100'],
    ['1e-30', '1e-30'],
  ])('the value of %s is %s', (expression, value) => expect(readResult(expression)).toBe(value));

  test('whole numbers beyond a double are exact in the text, and the nearest double in the result', () => {
    expect(calculate('12345678901234567890 * 3')).toMatchObject({
      result: 37037036703703700000,
      text: '12345678901234567890 * 3 = 37037036703703703670',
    });
  });

  test('zero has no sign, because JSON cannot carry one', () => {
    expect(Object.is(calculate('-0').result, 0)).toBe(true);
  });
});

describe('operators', () => {
  test.each([
    ['2 + 3 * 4', '14'],
    ['(2 + 3) * 4', '20'],
    ['10 - 4 - 3', '3'],
    ['100 / 10 / 5', '2'],
    ['2 ^ 3 ^ 2', '512'],
    ['2 ** 10', '1024'],
    ['-2 ^ 2', '-4'],
    ['(-2) ^ 2', '4'],
    ['2 ^ -1', '0.5'],
    ['2 * -3', '-6'],
    ['--3 + +3', '6'],
    ['7 % 3', '1'],
    ['-7 % 3', '-1'],
    ['5.5 % 2', '1.5'],
    ['7 % (-3)', '1'],
    ['3 × 4 ÷ 2 − 1', '5'],
  ])('the operators evaluate %s to %s', (expression, value) => expect(readResult(expression)).toBe(value));
});

describe('functions', () => {
  test.each([
    ['sqrt(16)', '4'],
    ['abs(-3.5)', '3.5'],
    ['floor(-1.5)', '-2'],
    ['ceil(-1.5)', '-1'],
    ['round(2.5)', '3'],
    ['round(-2.5)', '-3'],
    ['round(1.005, 2)', '1.01'],
    ['min(3, 1, 2)', '1'],
    ['MAX(3, min(9, 5), 2)', '5'],
    ['sqrt (16)', '4'],
  ])('the functions evaluate %s to %s', (expression, value) => expect(readResult(expression)).toBe(value));
});

describe('thousands', () => {
  test.each([
    ['1,000 + 1', '1001'],
    ['1,234,567.5 * 2', '2469135'],
    ['max((1,000), 2)', '1000'],
  ])('with grouped thousands %s is %s', (expression, value) => expect(readResult(expression)).toBe(value));

  test('a comma separates the arguments of a function', () => expect(readResult('max(1,234)')).toBe('234'));

  test.each(['1,00', '1,0000', '12,34', '1234,567', '1.5,000', '1,000,00', ',5', 'max(1,000)'])(
    'the calculator rejects the ambiguous %s',
    (expression) => expect(failure(expression).code).toBe('tool-arguments-invalid'),
  );
});

describe('expressions that cannot be parsed', () => {
  test.each([
    ['', 'a number is missing, at position 1'],
    ['17 *', 'a number is missing, at position 5'],
    ['17 * * 2', 'a number was expected, not "*", at position 6'],
    ['2(3)', 'an operator was expected, not "(", at position 2'],
    ['2pi', 'an operator was expected, not "pi", at position 2'],
    ['1.5.2', 'an operator was expected, not ".2", at position 4'],
    ['15%', 'a number is missing, at position 4'],
    ['100 + 10% - 5', '"%" is the remainder: write a percentage as 10 / 100'],
    ['(8 + (1)', 'this "(" is not closed, at position 1'],
    ['8)', 'an operator was expected, not ")", at position 2'],
    ['sqrt', 'sqrt needs its arguments in parentheses, at position 1'],
    ['1 + sqrt(1, 2)', 'sqrt takes at most 1 argument, not 2, at position 5'],
    ['max()', 'a number was expected, not ")", at position 5'],
    ['x + 1', '"x" is not known, at position 1'],
    ['sin(1)', 'there is no function "sin", only sqrt, abs, floor, ceil, round, min, max, at position 1'],
    ['constructor(1)', 'there is no function "constructor"'],
    ['__proto__', '"__proto__" is not known'],
    ['process.exit()', '"." is not part of an expression, at position 8'],
    ['process', '"process" is not known'],
    ['1; 2', '";" is not part of an expression, at position 2'],
    ['1 + 💥', '"💥" is not part of an expression, at position 5'],
  ])('the error of %s is %s', (expression, problem) => {
    expect(failure(expression)).toMatchObject({ code: 'tool-arguments-invalid', path: 'expression' });
    expect(failure(expression).message).toContain(problem);
  });
});

describe('expressions without a value', () => {
  test.each([
    ['1 / 0', 'divides by zero, at position 3'],
    ['1 / (2 - 2)', 'divides by zero, at position 3'],
    ['5 % 0', 'divides by zero, at position 3'],
    ['0 ^ -1', 'divides by zero, at position 3'],
    ['1 + sqrt(-4)', 'not a real number, at position 5'],
    ['(-8) ^ (1/3)', 'not a real number, at position 6'],
    ['9 ^ 9 ^ 9', 'too large, at position 3'],
    ['1e999', 'too large, at position 1'],
    ['9e308', 'too large, at position 1'],
    ['round(1, 0.5)', 'a whole number of places'],
  ])('the error of %s is %s', (expression, problem) => {
    expect(failure(expression)).toMatchObject({ code: 'tool-failed', path: 'expression' });
    expect(failure(expression).message).toContain(problem);
  });
});

describe('bounds', () => {
  test.each([
    ['parentheses', (depth: number) => `${'('.repeat(depth)}1${')'.repeat(depth)}`],
    ['signs', (depth: number) => `${'-'.repeat(depth)}1`],
    ['powers', (depth: number) => `${'1^'.repeat(depth)}1`],
    ['functions', (depth: number) => `${'abs('.repeat(depth)}1${')'.repeat(depth)}`],
  ])('nesting of %s is limited', (_, nested) => {
    expect(Math.abs(calculate(nested(MAX_DEPTH)).result)).toBe(1);
    expect(failure(nested(MAX_DEPTH + 1)).message).toContain(`more than ${MAX_DEPTH} deep`);
  });

  test('a long sum is not deeply nested', () => {
    expect(calculate(`1${'+1'.repeat((MAX_CHARACTERS - 1) / 2)}`).result).toBe(MAX_CHARACTERS / 2);
  });

  test('the calculator rejects an expression over the length limit before parsing it', () => {
    const check = (expression: string) => calculator.inputSchema.safeParse({ expression }).success;
    expect(check('1'.repeat(MAX_CHARACTERS))).toBe(true);
    expect(check('1'.repeat(MAX_CHARACTERS + 1))).toBe(false);
  });
});

test('the calculator bounds the powers with a fraction as exponent, which take long', () => {
  const powers = (count: number) => `max(${Array.from({ length: count }, () => '1.1^1.1').join(',')})`;
  expect(readResult(powers(20))).toBe('1.11053424105458');
  expect(failure(powers(21))).toMatchObject({ code: 'tool-failed', message: expect.stringContaining('more than 20') });
});

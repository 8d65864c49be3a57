// Properties over arbitrary expressions: a value or a coded error, and sums and products of whole numbers equal to
// BigInt's.
import { MillraceError, toWireError } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_CHARACTERS, calculate } from './calculator.ts';

type Sum = { written: string; value: bigint };

/** Returns the result, or undefined if a coded error was thrown; rethrows any other error. */
function evaluateText(expression: string): number | undefined {
  try {
    return calculate(expression).result;
  } catch (error) {
    if (MillraceError.isInstance(error)) return undefined;
    throw error;
  }
}

function answerTo(expression: string): object {
  try {
    return calculate(expression);
  } catch (error) {
    return toWireError(error);
  }
}

const pieces = fc.constantFrom(
  '1',
  '23',
  '0',
  '.5',
  '1,000',
  '1e308',
  'pi',
  'sqrt',
  'max',
  'x',
  ...'+-*/%^(),. '.split(''),
  '**',
);

test('the calculator answers any text with a finite value or a coded error', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (expression) => {
      expect(Number.isFinite(evaluateText(expression) ?? 0)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

/** The model receives the answer, and every following step's prompt contains it. */
const MAX_ANSWER_BYTES = 4 * 1024;

test('answers and errors of the calculator are short for any text', () => {
  const text = fc.array(pieces, { minLength: 200, maxLength: 500 }).map((all) => all.join('').slice(0, MAX_CHARACTERS));
  const long = fc.constantFrom(...['9', '(', '1+', 'x', '💥', '1,000+'].map((piece) => piece.repeat(MAX_CHARACTERS)));
  fc.assert(
    fc.property(fc.oneof(text, long), (written) => {
      const answer = answerTo(written.slice(0, MAX_CHARACTERS));
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MAX_ANSWER_BYTES);
    }),
  );
});

const { sum } = fc.letrec<{ sum: Sum; leaf: Sum; node: Sum }>((tie) => ({
  sum: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('node')),
  leaf: fc.bigInt({ min: 0n, max: 999n }).map((value) => ({ written: String(value), value })),
  node: fc
    .record({ operator: fc.constantFrom('+', '-', '*'), left: tie('sum'), right: tie('sum') })
    .map(({ operator, left, right }) => ({
      written: `(${left.written}) ${operator} (${right.written})`,
      value:
        operator === '+'
          ? left.value + right.value
          : operator === '-'
            ? left.value - right.value
            : left.value * right.value,
    })),
}));

test('sums and products of whole numbers are exact', () => {
  fc.assert(
    fc.property(sum, ({ written, value }) => {
      // Above this limit the calculator rounds the text, as documented.
      if (String(value).length > 50) return;
      expect(calculate(written).text).toBe(`${written} = ${value}`);
    }),
    { numRuns: 300 },
  );
});

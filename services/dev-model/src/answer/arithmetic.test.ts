import { describe, expect, test } from 'vitest';
import { expressionsIn } from './arithmetic.ts';

describe('an expression', () => {
  test.each([
    ['What is 17 * 23?', '17 * 23'],
    ['My name is Ada. What is 17 * 23?', '17 * 23'],
    ['what is 17*23', '17*23'],
    ['2+2', '2+2'],
    ['What is (2 + 3) * 4, please?', '(2 + 3) * 4'],
    ['What is (by the way) 2 * (3 + 4)?', '2 * (3 + 4)'],
    ['Please calculate 10/4.', '10/4'],
    ['What is 1,250 × 4?', '1250 * 4'],
    ['What is 3 times 4?', '3 * 4'],
    ['How much is 100 divided by 8?', '100 / 8'],
    ['What is 2 to the power of 10?', '2 ^ 10'],
    ['What is 15% of 80?', '15 / 100 * 80'],
    ['What is -3 * -4?', '-3 * -4'],
    ['12 - 5', '12 - 5'],
    ['What is 3.5 + 0.5?', '3.5 + 0.5'],
  ])('is found in: %s', (text, expression) => {
    expect(expressionsIn(text)).toEqual([expression]);
  });

  test.each([
    'What is due on 2026-11-21?',
    'What is planned for 2026-11-21?',
    'Call me at +47 555-1234.',
    'Bring 3-4 friends.',
    'Between 10 - 12 people come.',
    'The server is 10.0.0.1.',
    'We are open 24/7.',
    'I have 3 cats and 2 dogs.',
    'C++ is fun.',
    'What is - exactly - 5?',
    'What is **17**?',
    '',
  ])('is not seen in: %s', (text) => {
    expect(expressionsIn(text)).toEqual([]);
  });

  test('is found once for each', () => {
    expect(expressionsIn('What is 1 + 1? And 2 * 3? And 1 + 1?')).toEqual(['1 + 1', '2 * 3']);
  });

  test('costs time in proportion to a hostile text', () => {
    const begun = performance.now();
    expressionsIn('+ '.repeat(200_000));
    expressionsIn('1 '.repeat(200_000));
    expressionsIn('('.repeat(200_000));
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

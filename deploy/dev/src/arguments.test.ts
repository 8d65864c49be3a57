import { describe, expect, test } from 'vitest';
import { readArguments } from './arguments.ts';

describe('arguments of `npm start --`', () => {
  test.each([
    [[], { command: 'serve', tour: true }],
    [['--no-tour'], { command: 'serve', tour: false }],
    [['--once', 'What is 17 * 23?'], { command: 'once', text: 'What is 17 * 23?' }],
    [['--once=--help'], { command: 'once', text: '--help' }],
    [['--help'], { command: 'help' }],
  ])('%j', (argv, expected) => {
    expect(readArguments(argv)).toEqual(expected);
  });

  test.each([
    [['--once'], /argument missing/],
    [['--once', '  '], /needs a text/],
    [['--once', 'x', '--no-tour'], /no tour/],
    [['--onec', 'x'], /--onec/],
    [['What is 17 * 23?'], /What is 17/],
  ])('%j is refused', (argv, message) => {
    expect(() => readArguments(argv)).toThrow(message);
  });
});

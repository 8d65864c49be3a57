import { describe, expect, test } from 'vitest';
import { readArguments } from './arguments.ts';

describe('arguments of `npm start --`', () => {
  test.each([
    [[], { command: 'serve', tour: true, hasProcesses: false }],
    [['--no-tour'], { command: 'serve', tour: false, hasProcesses: false }],
    [['--processes'], { command: 'serve', tour: true, hasProcesses: true }],
    [['--once', 'What is 17 * 23?'], { command: 'once', text: 'What is 17 * 23?', hasProcesses: false }],
    [['--once=--help'], { command: 'once', text: '--help', hasProcesses: false }],
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

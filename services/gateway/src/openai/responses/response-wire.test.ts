import { expect, test } from 'vitest';
import { OPENING, writeEvents } from './response-wire.ts';

const event = { type: 'response.output_text.delta' };
const readNumbers = (text: string): number[] =>
  [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));

test('The numbers of events ascend when a later owner of the run begins at an earlier index', () => {
  const positions = [OPENING, { epoch: 1, index: 0 }, { epoch: 1, index: 90 }, { epoch: 2, index: 40 }];
  const numbers = positions.flatMap((position) => readNumbers(writeEvents([event, event], position, -1)));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(new Set(numbers).size).toBe(8);
});

test('Events up to a number are left out', () => {
  const [first = 0] = readNumbers(writeEvents([event, event], { epoch: 3, index: 7 }, -1));
  expect(readNumbers(writeEvents([event, event], { epoch: 3, index: 7 }, first))).toEqual([first + 1]);
});

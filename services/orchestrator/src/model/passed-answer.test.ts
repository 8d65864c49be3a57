import { expect, test } from 'vitest';
import { delta, say } from '../testing/chunks.ts';
import { createObjectPartials } from './passed-answer.ts';

const countBytes = (value: unknown): number => JSON.stringify(value).length;

test('partial objects follow each piece of a short answer', () => {
  const objects = createObjectPartials('run-1');
  const made = say('{"a":1', ',"b":2', '}').flatMap((one) => objects.makePartials([one]));
  expect(made).toMatchObject([{ type: 'object', object: {} }, { object: { a: 1 } }, { object: { a: 1, b: 2 } }]);
});

test('partial objects of a long answer in small pieces are a bounded number of times as long as it is', () => {
  const object = { items: Array.from({ length: 2_000 }, (_, n) => `item ${n}`) };
  const text = JSON.stringify(object);
  const objects = createObjectPartials('run-1');
  const made = (text.match(/.{1,4}/gs) ?? []).flatMap((piece) => objects.makePartials([delta(piece)]));
  expect(made.length).toBeGreaterThan(100);
  expect(countBytes(made)).toBeLessThan(100 * text.length);
  expect(countBytes(made.at(-1))).toBeGreaterThan(0.9 * text.length);
});

test('a text that opens ever more levels costs no more for it', () => {
  const objects = createObjectPartials('run-1');
  const made = Array.from({ length: 30_000 }, () => delta('[')).flatMap((one) => objects.makePartials([one]));
  expect(made.length).toBeLessThan(100);
});

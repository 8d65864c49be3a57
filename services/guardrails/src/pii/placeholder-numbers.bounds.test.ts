import type { JsonObject } from '@millrace/contracts';
import { inputArgs } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { identityOf } from '../guard/identity.ts';
import { pii } from './pii.ts';
import { placeholderNumber } from './placeholder-numbers.ts';

const identity = (at: number): string => identityOf('email', `ada${at}@example.com`);
const numbers = (known: JsonObject, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, at) => placeholderNumber('email', identity(from + at), known));
const counted = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at + 1);

test.each([3, 500])('%d values are numbered in their order, and keep their numbers in a copy of the state', (count) => {
  const known: JsonObject = {};
  expect(numbers(known, 0, count)).toEqual(counted(0, count));
  const copy: JsonObject = JSON.parse(JSON.stringify(known));
  expect(numbers(copy, 0, count)).toEqual(counted(0, count));
  expect(numbers(copy, count, 2 * count)).toEqual(counted(count, 2 * count));
  expect(numbers(known, 0, count)).toEqual(counted(0, count));
});
test('each type has numbers of its own', () => {
  const known: JsonObject = {};
  expect(['email', 'ssn', 'email'].map((type) => placeholderNumber(type, identity(1), known))).toEqual([1, 1, 1]);
});
test('a hash that two others have between them is a new value', () => {
  const [a, b] = ['a'.repeat(8), 'b'.repeat(8)];
  const known: JsonObject = {};
  expect([a + b, b + a, b + b, a + a].map((one) => placeholderNumber('email', one, known))).toEqual([1, 2, 3, 4]);
});
test('the state of many values has one member for a type', async () => {
  const args = inputArgs([Array.from({ length: 2_000 }, (_, at) => `ada${at}@example.com`).join(' ')]);
  await pii.create({ method: 'placeholder' }).processInput?.(args);
  expect(Object.keys(args.state['placeholders'] ?? {})).toEqual(['email']);
});

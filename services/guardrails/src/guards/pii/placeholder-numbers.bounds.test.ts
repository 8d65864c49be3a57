import type { JsonObject } from '@millrace/contracts';
import { inputArgs } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { hashIdentity } from '../../guard/identity.ts';
import { pii } from './pii.ts';
import { assignNumber } from './placeholder-numbers.ts';

const identity = (at: number): string => hashIdentity('email', `ada${at}@example.com`);
const numbers = (known: JsonObject, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, at) => assignNumber('email', identity(from + at), known));
const listNumbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at + 1);

test.each([3, 500])('%d values are numbered in order and keep their numbers in a copy of the state', (count) => {
  const known: JsonObject = {};
  expect(numbers(known, 0, count)).toEqual(listNumbers(0, count));
  const copy: JsonObject = JSON.parse(JSON.stringify(known));
  expect(numbers(copy, 0, count)).toEqual(listNumbers(0, count));
  expect(numbers(copy, count, 2 * count)).toEqual(listNumbers(count, 2 * count));
  expect(numbers(known, 0, count)).toEqual(listNumbers(0, count));
});
test('each type has its own numbers', () => {
  const known: JsonObject = {};
  expect(['email', 'ssn', 'email'].map((type) => assignNumber(type, identity(1), known))).toEqual([1, 1, 1]);
});
test('a hash that matches across two stored ones is a new value', () => {
  const [a, b] = ['a'.repeat(8), 'b'.repeat(8)];
  const known: JsonObject = {};
  expect([a + b, b + a, b + b, a + a].map((one) => assignNumber('email', one, known))).toEqual([1, 2, 3, 4]);
});
test('the state of many values has one member per type', async () => {
  const args = inputArgs([Array.from({ length: 2_000 }, (_, at) => `ada${at}@example.com`).join(' ')]);
  await pii.create({ method: 'placeholder' }).processInput?.(args);
  expect(Object.keys(args.state['placeholders'] ?? {})).toEqual(['email']);
});

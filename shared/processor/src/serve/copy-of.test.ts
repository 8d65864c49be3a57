import { expect, test } from 'vitest';
import { copyOf } from './copy-of.ts';

test('a copy shares nothing that can be edited with its original', () => {
  const original = { list: [{ text: 'a' }, null], when: new Date(0), deep: { number: 1, flag: true } };
  const copy = copyOf(original);
  expect(copy).toEqual(original);
  original.list.push(null);
  original.when.setTime(1);
  original.deep.number = 2;
  expect(copy).toEqual({ list: [{ text: 'a' }, null], when: new Date(0), deep: { number: 1, flag: true } });
});

test('a member named __proto__ stays a member', () => {
  const copy = copyOf(JSON.parse('{"deep": {"__proto__": {"admin": true}}}'));
  expect(JSON.stringify(copy)).toBe('{"deep":{"__proto__":{"admin":true}}}');
  expect(copy).not.toHaveProperty('deep.admin');
});

test('what cannot be cloned is refused, not dropped', () => {
  expect(() => copyOf({ deep: [() => 1] })).toThrow('could not be cloned');
});

import { expect, test } from 'vitest';
import { copyValue } from './call-stage.ts';

test('A copy shares no mutable value with its original', () => {
  const original = { list: [{ text: 'a' }, null], when: new Date(0), deep: { number: 1, flag: true } };
  const copy = copyValue(original);
  expect(copy).toEqual(original);
  original.list.push(null);
  original.when.setTime(1);
  original.deep.number = 2;
  expect(copy).toEqual({ list: [{ text: 'a' }, null], when: new Date(0), deep: { number: 1, flag: true } });
});

test('A member named __proto__ stays an own member', () => {
  const copy = copyValue(JSON.parse('{"deep": {"__proto__": {"admin": true}}}'));
  expect(JSON.stringify(copy)).toBe('{"deep":{"__proto__":{"admin":true}}}');
  expect(copy).not.toHaveProperty('deep.admin');
});

test('A value that cannot be cloned is rejected instead of dropped', () => {
  expect(() => copyValue({ deep: [() => 1] })).toThrow('could not be cloned');
});

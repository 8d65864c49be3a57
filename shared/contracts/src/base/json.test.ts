import { describe, expect, test } from 'vitest';
import { MAX_NESTING, findUnserializable, isNestedDeeper } from './json.ts';

describe('findUnserializable returns the path of a value that JSON cannot represent', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = { again: cycle };
  class Counter {
    count = 1;
  }
  test.each([
    ['a function', { cache: { get: () => 1 } }, '$.cache.get'],
    ['a symbol', [Symbol('x')], '$[0]'],
    ['undefined in an array', { list: [1, undefined] }, '$.list[1]'],
    ['a bigint', { n: 1n }, '$.n'],
    ['NaN', { n: Number.NaN }, '$.n'],
    ['infinity', [[Number.POSITIVE_INFINITY]], '$[0][0]'],
    ['a cycle', cycle, '$.self.again'],
    ['a Map', { seen: new Map() }, '$.seen'],
    ['a Set', { seen: new Set([1]) }, '$.seen'],
    ['a regular expression', { pattern: /x/ }, '$.pattern'],
    ['a promise', { later: Promise.resolve() }, '$.later'],
    ['an instance of a class', { counter: new Counter() }, '$.counter'],
    ['an error', { last: new Error('x') }, '$.last'],
    ['bytes', { bytes: new Uint8Array(2) }, '$.bytes'],
    ['a timer', { timer: setTimeout(() => undefined, 0).unref() }, '$.timer'],
    ['undefined itself', undefined, '$'],
  ])('%s', (_name, value, path) => {
    expect(findUnserializable(value)).toBe(path);
  });
});

describe('findUnserializable returns undefined for JSON values', () => {
  const shared = { a: 1 };
  test.each([
    ['plain data', { a: [1, 'x', null, true, { b: {} }] }],
    ['an absent member', { a: undefined }],
    ['a date, which says how', { at: new Date(0) }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['the same object twice, without a cycle', [shared, shared, { shared }]],
    ['a structured clone', structuredClone({ a: [{ b: 1 }] })],
  ])('%s', (_name, value) => {
    expect(findUnserializable(value)).toBeUndefined();
  });
});

test("findUnserializable starts the path with the caller's name of the value", () => {
  expect(findUnserializable({ a: Number.NaN }, 'state')).toBe('state.a');
});

test('isNestedDeeper reads no deeper than the bound, also for a value of a million levels', () => {
  let deep: unknown = 'x';
  for (let level = 0; level < 1_000_000; level++) deep = level % 2 ? [deep] : { deep };
  expect(isNestedDeeper(deep)).toBe(true);
  expect(isNestedDeeper([[['x']]], 3)).toBe(false);
  expect(isNestedDeeper([[[{}]]], 3)).toBe(true);
  expect(isNestedDeeper('x'.repeat(MAX_NESTING * 2))).toBe(false);
});

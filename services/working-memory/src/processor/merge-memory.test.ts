import type { JsonObject } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { mergeMemory } from './merge-memory.ts';

describe('merging an update into a memory', () => {
  test('keeps fields that are not named, and replaces the others', () => {
    expect(mergeMemory({ name: 'Ada', city: 'Oslo' }, { city: 'Rome' }, 'append')).toEqual({
      name: 'Ada',
      city: 'Rome',
    });
  });

  test('deletes by null, at any depth; what was not there is not there either', () => {
    const memory = { name: 'Ada', home: { city: 'Oslo', street: 'Gate 1' } };
    const update = { name: null, age: null, home: { street: null } };
    expect(mergeMemory(memory, update, 'append')).toEqual({ home: { city: 'Oslo' } });
    expect(mergeMemory({}, { home: { city: 'Oslo', street: null } }, 'append')).toEqual({ home: { city: 'Oslo' } });
  });

  test('with append adds what is not there yet', () => {
    const memory = { likes: ['tea', { kind: 'jazz' }] };
    const update = { likes: [{ kind: 'jazz' }, 'go', 'go', 'tea'] };
    expect(mergeMemory(memory, update, 'append')).toEqual({ likes: ['tea', { kind: 'jazz' }, 'go'] });
  });

  test('with replace takes the new array', () => {
    expect(mergeMemory({ likes: ['tea'] }, { likes: ['go', 'go'] }, 'replace')).toEqual({ likes: ['go'] });
    expect(mergeMemory({ likes: ['tea'] }, { likes: [] }, 'replace')).toEqual({ likes: [] });
  });

  test('another kind of value takes the place of the one before', () => {
    expect(mergeMemory({ a: 'text', b: [1], c: { d: 1 } }, { a: [1], b: { e: 1 }, c: 'text' }, 'append')).toEqual({
      a: [1],
      b: { e: 1 },
      c: 'text',
    });
  });

  test('a field called __proto__ is a field, and changes no prototype', () => {
    const update: JsonObject = JSON.parse('{"__proto__": {"admin": true}, "name": "Ada"}');
    const merged = mergeMemory(mergeMemory({}, update, 'append'), update, 'append');
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"admin":true},"name":"Ada"}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect('admin' in {}).toBe(false);
  });

  test('neither the memory nor the update is changed', () => {
    const memory = { home: { city: 'Oslo' }, likes: ['tea'] };
    const update = { home: { city: 'Rome' }, likes: ['go'] };
    mergeMemory(memory, update, 'append');
    expect([memory, update]).toEqual([
      { home: { city: 'Oslo' }, likes: ['tea'] },
      { home: { city: 'Rome' }, likes: ['go'] },
    ]);
  });
});

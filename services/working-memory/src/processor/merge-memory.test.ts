import type { JsonObject } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { mergeMemory } from './merge-memory.ts';

describe('merging an update into a memory', () => {
  test('merging keeps the fields that the update does not name and replaces the others', () => {
    expect(mergeMemory({ name: 'Ada', city: 'Oslo' }, { city: 'Rome' }, 'append')).toEqual({
      name: 'Ada',
      city: 'Rome',
    });
  });

  test('null deletes a field at any depth, and a field that did not exist is not added', () => {
    const memory = { name: 'Ada', home: { city: 'Oslo', street: 'Gate 1' } };
    const update = { name: null, age: null, home: { street: null } };
    expect(mergeMemory(memory, update, 'append')).toEqual({ home: { city: 'Oslo' } });
    expect(mergeMemory({}, { home: { city: 'Oslo', street: null } }, 'append')).toEqual({ home: { city: 'Oslo' } });
  });

  test('append adds only the missing elements of an array', () => {
    const memory = { likes: ['tea', { kind: 'jazz' }] };
    const update = { likes: [{ kind: 'jazz' }, 'go', 'go', 'tea'] };
    expect(mergeMemory(memory, update, 'append')).toEqual({ likes: ['tea', { kind: 'jazz' }, 'go'] });
  });

  test('replace takes the new array', () => {
    expect(mergeMemory({ likes: ['tea'] }, { likes: ['go', 'go'] }, 'replace')).toEqual({ likes: ['go'] });
    expect(mergeMemory({ likes: ['tea'] }, { likes: [] }, 'replace')).toEqual({ likes: [] });
  });

  test('a value of another kind replaces the previous one', () => {
    expect(mergeMemory({ a: 'text', b: [1], c: { d: 1 } }, { a: [1], b: { e: 1 }, c: 'text' }, 'append')).toEqual({
      a: [1],
      b: { e: 1 },
      c: 'text',
    });
  });

  test('a field called __proto__ is a plain field and changes no prototype', () => {
    const update: JsonObject = JSON.parse('{"__proto__": {"admin": true}, "name": "Ada"}');
    const merged = mergeMemory(mergeMemory({}, update, 'append'), update, 'append');
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"admin":true},"name":"Ada"}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect('admin' in {}).toBe(false);
  });

  test('merging changes neither the memory nor the update', () => {
    const memory = { home: { city: 'Oslo' }, likes: ['tea'] };
    const update = { home: { city: 'Rome' }, likes: ['go'] };
    mergeMemory(memory, update, 'append');
    expect([memory, update]).toEqual([
      { home: { city: 'Oslo' }, likes: ['tea'] },
      { home: { city: 'Rome' }, likes: ['go'] },
    ]);
  });
});

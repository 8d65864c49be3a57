import { describe, expect, test } from 'vitest';
import { mergeMemory } from './merge-memory.ts';
import { selectStatedFields } from './extraction.ts';

describe("stated fields of a model's answer", () => {
  test('an empty text is no statement, even in a nested object', () => {
    expect(selectStatedFields({ name: '', home: { city: '', street: { number: '' } }, age: 0, likes: [''] })).toEqual({
      age: 0,
      likes: [],
    });
  });

  test('an empty text erases no known field at any depth, and null does', () => {
    const memory = { name: 'Ada', home: { city: 'Oslo', street: 'Gate 1' } };
    const empty = selectStatedFields({ name: '', home: { city: '' } });
    expect(mergeMemory(memory, empty, 'append')).toEqual(memory);
    const deleting = selectStatedFields({ home: { city: null, street: '' } });
    expect(mergeMemory(memory, deleting, 'append')).toEqual({ name: 'Ada', home: { street: 'Gate 1' } });
  });

  test('a field called __proto__ is a plain field', () => {
    const update = JSON.parse('{"__proto__": {"admin": true, "note": ""}}');
    expect(JSON.stringify(selectStatedFields(update))).toBe('{"__proto__":{"admin":true}}');
  });
});

import { describe, expect, test } from 'vitest';
import { createItemStore } from './item-store.ts';

describe('the item store', () => {
  test('the item store evicts the oldest items when it holds too many characters or items', () => {
    const store = createItemStore({ maxCharacters: 10, maxItems: 3 });
    for (const id of ['a', 'b', 'c']) store.put(id, 'xxxx');
    expect(['a', 'b', 'c'].map(store.findText)).toEqual([undefined, 'xxxx', 'xxxx']);
    for (const id of ['d', 'e', 'f']) store.put(id, '');
    expect(['c', 'd', 'e', 'f'].map(store.findText)).toEqual([undefined, '', '', '']);
  });

  test('the item store never exceeds its limits, even for one large item', () => {
    const store = createItemStore({ maxCharacters: 10 });
    store.put('small', 'x');
    store.put('huge', 'x'.repeat(1_000));
    expect(['small', 'huge'].map(store.findText)).toEqual([undefined, undefined]);
    store.put('next', 'xxx');
    expect(store.findText('next')).toBe('xxx');
  });
});

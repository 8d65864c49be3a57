import type { ListName } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { orderEntries, type Placed } from './entry-order.ts';

type Listed = Omit<Placed, 'path' | 'processor'> & { processor?: string };
const listed = (entries: readonly Listed[]): Placed[] =>
  entries.map((entry, at) => ({ processor: entry.name, ...entry, path: `input[${at}]` }));
const order = (entries: readonly Listed[], list: ListName = 'input') => {
  const { ordered, issues } = orderEntries(list, listed(entries));
  expect(issues).toEqual([]);
  return ordered.map(({ name }) => name).join(' ');
};
const issuesOf = (entries: readonly Listed[], list: ListName = 'input') => orderEntries(list, listed(entries)).issues;

const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

describe('entries of a list', () => {
  test('stand in declared order', () => {
    expect(order([b, c, a])).toBe('b c a');
  });

  test('stand after what `after` names, wherever that is declared', () => {
    expect(order([{ name: 'x', after: 'b' }, a, b, c])).toBe('a b x c');
  });

  test('stand before what `before` names', () => {
    expect(order([a, b, { name: 'x', before: 'a' }])).toBe('x a b');
  });

  test('stand between the entries that `after` and `before` name', () => {
    expect(order([a, b, c, { name: 'x', after: 'a', before: 'c' }])).toBe('a x b c');
  });

  test('of one place keep their declared order', () => {
    const more = (name: string) => ({ name, after: 'a' });
    expect(order([a, b, more('x'), more('y'), more('z')])).toBe('a x y z b');
    const less = (name: string) => ({ name, before: 'b' });
    expect(order([a, b, less('x'), less('y')])).toBe('a x y b');
  });

  test('may name one that is itself placed', () => {
    expect(order([{ name: 'y', after: 'x' }, { name: 'x', after: 'a' }, a, b])).toBe('a x y b');
  });
});

describe('a target of `after` or `before`', () => {
  const early = { name: 'early', processor: 'pii' };
  const late = { name: 'late', processor: 'pii' };

  test('that is a processor means all its entries', () => {
    expect(order([early, a, late, b, { name: 'x', after: 'pii' }])).toBe('early a late x b');
    expect(order([a, early, b, late, { name: 'x', before: 'pii' }])).toBe('a x early b late');
  });

  test('that is the name of an entry means that one alone', () => {
    const named = { name: 'pii', processor: 'pii' };
    expect(order([named, a, late, { name: 'x', after: 'pii' }])).toBe('pii x a late');
  });

  test('that waits for its own place is waited for', () => {
    expect(order([{ name: 'x', after: 'pii' }, early, a, { ...late, after: 'a' }])).toBe('early a late x');
  });

  test('`memory` means the memory processors', () => {
    const entries = [a, { name: 'message-history' }, { name: 'semantic-recall' }, b];
    expect(order([...entries, { name: 'x', after: 'memory' }])).toBe('a message-history semantic-recall x b');
    expect(order([...entries, { name: 'x', before: 'memory' }])).toBe('a x message-history semantic-recall b');
  });

  test('that is shipped and not listed counts from its default position', () => {
    const list = [{ name: 'unicode-normalizer' }, { name: 'pii' }];
    expect(order([...list, { name: 'x', after: 'keyword' }])).toBe('unicode-normalizer x pii');
    expect(order([...list, { name: 'x', before: 'keyword' }])).toBe('unicode-normalizer x pii');
    expect(order([...list, { name: 'x', after: 'memory' }])).toBe('unicode-normalizer pii x');
  });
});

describe('an order is refused for', () => {
  test('an unknown target, with the names and the place', () => {
    expect(issuesOf([a, { name: 'x', after: 'nosuch' }])).toEqual([
      {
        code: 'entry-target-unknown',
        message: '"x" is to stand after "nosuch", which the input list does not have.',
        path: 'input[1].after',
        remedy: expect.any(String),
      },
    ]);
  });

  test('every unknown target at once', () => {
    const x = { name: 'x', after: 'no', before: 'nor' };
    expect(issuesOf([x, { name: 'y', before: 'no' }]).map(({ path }) => path)).toEqual([
      'input[0].after',
      'input[0].before',
      'input[1].before',
    ]);
  });

  test('an entry that names itself', () => {
    expect(issuesOf([{ name: 'pii', after: 'pii' }])).toMatchObject([{ code: 'entry-target-unknown' }]);
  });

  test('a shipped processor in a list that it has no place in', () => {
    expect(issuesOf([{ name: 'x', after: 'pii' }], 'error')).toMatchObject([{ code: 'entry-target-unknown' }]);
    expect(issuesOf([{ name: 'x', after: 'memory' }], 'error')).toMatchObject([{ code: 'entry-target-unknown' }]);
  });

  test('a cycle, with all the names in it', () => {
    const cycle = [
      { name: 'x', after: 'y' },
      { name: 'y', after: 'z' },
      { name: 'z', before: 'x' },
    ];
    expect(issuesOf([a, ...cycle])).toEqual([
      {
        code: 'entry-cycle',
        message: '"x", "y", "z" wait for each other by after/before.',
        path: 'input[1]',
        remedy: expect.any(String),
      },
    ]);
  });

  test('an entry that would stand both before and after another, with both sides', () => {
    expect(issuesOf([a, b, { name: 'x', after: 'b', before: 'a' }])).toMatchObject([
      { code: 'entry-cycle', message: '"x" cannot stand both after "b" and before "a".', path: 'input[2]' },
    ]);
  });
});

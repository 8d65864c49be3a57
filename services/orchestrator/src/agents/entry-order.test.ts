import type { ListName } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { orderEntries, type PlacedEntry, collectPositions } from './entry-order.ts';

type Listed = Omit<PlacedEntry, 'path' | 'processor'> & { processor?: string };
const listEntries = (entries: readonly Listed[]): PlacedEntry[] =>
  entries.map((entry, at) => ({ processor: entry.name, ...entry, path: `input[${at}]` }));
const advertised = [
  { descriptor: { id: 'unicode-normalizer', positions: { input: 100 } } },
  { descriptor: { id: 'keyword', positions: { input: 120, output: 130 } } },
  { descriptor: { id: 'pii', positions: { input: 160, output: 150 } } },
  { descriptor: { id: 'of-an-earlier-release' } },
];
const positionsIn = (list: ListName) => collectPositions(list, advertised);
const order = (entries: readonly Listed[], list: ListName = 'input') => {
  const { ordered, issues } = orderEntries(list, listEntries(entries), positionsIn(list));
  expect(issues).toEqual([]);
  return ordered.map(({ name }) => name).join(' ');
};
const findIssues = (entries: readonly Listed[], list: ListName = 'input') =>
  orderEntries(list, listEntries(entries), positionsIn(list)).issues;

const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

describe('entries of a list', () => {
  test('keep their declared order', () => {
    expect(order([b, c, a])).toBe('b c a');
  });

  test('follow the entries that `after` names, wherever those are declared', () => {
    expect(order([{ name: 'x', after: 'b' }, a, b, c])).toBe('a b x c');
  });

  test('precede the entries that `before` names', () => {
    expect(order([a, b, { name: 'x', before: 'a' }])).toBe('x a b');
  });

  test('are between the entries that `after` and `before` name', () => {
    expect(order([a, b, c, { name: 'x', after: 'a', before: 'c' }])).toBe('a x b c');
  });

  test('with the same position keep their declared order', () => {
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

  test('that is a processor refers to all its entries', () => {
    expect(order([early, a, late, b, { name: 'x', after: 'pii' }])).toBe('early a late x b');
    expect(order([a, early, b, late, { name: 'x', before: 'pii' }])).toBe('a x early b late');
  });

  test('that is the name of an entry refers to that one alone', () => {
    const named = { name: 'pii', processor: 'pii' };
    expect(order([named, a, late, { name: 'x', after: 'pii' }])).toBe('pii x a late');
  });

  test('that waits for its own position is waited for', () => {
    expect(order([{ name: 'x', after: 'pii' }, early, a, { ...late, after: 'a' }])).toBe('early a late x');
  });

  test('`memory` refers to the memory processors', () => {
    const entries = [a, { name: 'message-history', isMemory: true }, { name: 'semantic-recall', isMemory: true }, b];
    expect(order([...entries, { name: 'x', after: 'memory' }])).toBe('a message-history semantic-recall x b');
    expect(order([...entries, { name: 'x', before: 'memory' }])).toBe('a x message-history semantic-recall b');
  });

  test('that is not listed counts from the position that its processor advertises', () => {
    const list = [{ name: 'unicode-normalizer' }, { name: 'pii' }];
    expect(order([...list, { name: 'x', after: 'keyword' }])).toBe('unicode-normalizer x pii');
    expect(order([...list, { name: 'x', before: 'keyword' }])).toBe('unicode-normalizer x pii');
    expect(order([...list, { name: 'x', after: 'memory' }])).toBe('unicode-normalizer pii x');
  });
});

describe('an order is refused for', () => {
  test('an unknown target, with the names and the place', () => {
    expect(findIssues([a, { name: 'x', after: 'nosuch' }])).toEqual([
      {
        code: 'entry-target-unknown',
        message: '"x" has to be after "nosuch", which is not in the input list.',
        path: 'input[1].after',
        remedy: expect.any(String),
      },
    ]);
  });

  test('every unknown target at once', () => {
    const x = { name: 'x', after: 'no', before: 'nor' };
    expect(findIssues([x, { name: 'y', before: 'no' }]).map(({ path }) => path)).toEqual([
      'input[0].after',
      'input[0].before',
      'input[1].before',
    ]);
  });

  test('a target that is not listed and advertises no position', () => {
    const x = { name: 'x', after: 'of-an-earlier-release' };
    expect(findIssues([a, x])).toMatchObject([{ code: 'entry-target-unknown', path: 'input[1].after' }]);
  });

  test('an entry that names itself', () => {
    expect(findIssues([{ name: 'pii', after: 'pii' }])).toMatchObject([{ code: 'entry-target-unknown' }]);
  });

  test('a shipped processor in a list without a position for it', () => {
    expect(findIssues([{ name: 'x', after: 'pii' }], 'error')).toMatchObject([{ code: 'entry-target-unknown' }]);
    expect(findIssues([{ name: 'x', after: 'memory' }], 'error')).toMatchObject([{ code: 'entry-target-unknown' }]);
  });

  test('a cycle, with all the names in it', () => {
    const cycle = [
      { name: 'x', after: 'y' },
      { name: 'y', after: 'z' },
      { name: 'z', before: 'x' },
    ];
    expect(findIssues([a, ...cycle])).toEqual([
      {
        code: 'entry-cycle',
        message: '"x", "y", "z" wait for each other by after/before.',
        path: 'input[1]',
        remedy: expect.any(String),
      },
    ]);
  });

  test('an entry that would have to be both before and after another one, with both sides', () => {
    expect(findIssues([a, b, { name: 'x', after: 'b', before: 'a' }])).toMatchObject([
      { code: 'entry-cycle', message: '"x" cannot be both after "b" and before "a".', path: 'input[2]' },
    ]);
  });
});

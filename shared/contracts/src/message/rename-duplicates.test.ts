import { expect, test } from 'vitest';
import { renameDuplicates } from './rename-duplicates.ts';

test('Each member keeps its value and has a name of its own', () => {
  const renamed = renameDuplicates([
    ['*', 1],
    ['*', 2],
    ['a', 3],
    ['* iii', 4],
    ['*', 5],
    ['*', 6],
  ]);
  expect(renamed).toEqual([
    ['*', 1],
    ['* ii', 2],
    ['a', 3],
    ['* iii', 4],
    ['* iiii', 5],
    ['* iiiii', 6],
  ]);
});

test('A hundred thousand equal names become as many short names without digits', () => {
  const names = renameDuplicates(Array.from({ length: 100_000 }, () => ['***', 0] as const)).map(([name]) => name);
  expect(new Set(names).size).toBe(100_000);
  expect(names.every((name) => name.length <= 12 && !/\d/.test(name))).toBe(true);
});

test('Names that look like renamed ones cost no more than others', () => {
  const strokes = renameDuplicates(Array.from({ length: 20_000 }, () => ['***', 0] as const));
  const again = renameDuplicates([...strokes, ...Array.from({ length: 20_000 }, () => ['***', 0] as const)]);
  expect(new Set(again.map(([name]) => name)).size).toBe(40_000);
});

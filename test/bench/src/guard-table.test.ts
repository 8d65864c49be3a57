import { expect, test } from 'vitest';
import { guardTables, replaceGuardTables } from './guard-table.ts';
import { row, type BenchRow } from './measure.ts';

const makeCosts = (...us: number[]) => us.map((one, n) => ({ kib: 10 ** n, us: one, isRefused: false }));
const rows: BenchRow[] = [
  {
    ...row('guard-pii', 'µs a KiB', 1, 1),
    sizes: [
      { form: 'message', shape: 'prose', at: makeCosts(900, 60.4, 7.25, 8) },
      { form: 'rows', shape: 'prose', at: makeCosts(2, 4, 8, 8) },
      { form: 'rows', shape: 'digits', at: makeCosts(1, 2, 10, 30) },
      {
        form: 'rows',
        shape: 'links',
        at: makeCosts(1, 2, 12, 90).map((one) => ({ ...one, isRefused: one.kib === 100 })),
      },
    ],
  },
  row('guard-block', 'ms', 1, 1),
];

test('the table has a row for each guard, and the fastest growth among the accepted sizes', () => {
  const text = guardTables(rows, 'One core.');
  expect(text).toContain('| pii | 900 | 7.3 | 12† (rows of links) |');
  expect(text).toContain(
    'Of 3 rows, the cost per KiB at 1,000 KiB relative to 100 KiB: at most 3.0 times (pii, rows of digits)',
  );
});
test('a page keeps its text around the tables, and its tables can be written again', () => {
  const page = 'before\n<!-- guards: written by the bench -->\nold\n<!-- guards: end -->\nafter\n';
  const once = replaceGuardTables(page, rows, 'One core.');
  expect(once).toMatch(/^before\n[^]*\| pii \|[^]*\nafter\n$/);
  expect(once).not.toContain('old');
  expect(replaceGuardTables(once, rows, 'One core.')).toBe(once);
  expect(() => replaceGuardTables('no place', rows, '')).toThrow('no "<!-- guards');
});

import { expect, test } from 'vitest';
import { guardTables, withGuardTables } from './guard-table.ts';
import { row, type Row } from './measure.ts';

const at = (...us: number[]) => us.map((one, n) => ({ kib: 10 ** n, us: one, isRefused: false }));
const rows: Row[] = [
  {
    ...row('guard-pii', 'µs a KiB', 1, 1),
    sizes: [
      { form: 'message', shape: 'prose', at: at(900, 60.4, 7.25, 8) },
      { form: 'rows', shape: 'digits', at: at(1, 2, 10, 30) },
      { form: 'rows', shape: 'links', at: at(1, 2, 10, 90).map((one) => ({ ...one, isRefused: one.kib === 1_000 })) },
    ],
  },
  row('guard-block', 'ms', 1, 1),
];

test('a row for each form and shape, and what grows most of those that are not refused', () => {
  const text = guardTables(rows, 'One core.');
  expect(text).toContain('| pii | message | prose | 900 | 60 | 7.3 | 8.0 |');
  expect(text).toContain('| pii | rows | links | 1.0 | 2.0 | 10 | 90† |');
  expect(text).toContain(
    'Of 2 rows, what a KiB costs at 1,000 KiB against 100: at most 3.0 times (pii, rows of digits)',
  );
});
test('a page keeps what stands around the tables, and its tables may be written again', () => {
  const page = 'before\n<!-- guards: written by the bench -->\nold\n<!-- guards: end -->\nafter\n';
  const once = withGuardTables(page, rows, 'One core.');
  expect(once).toMatch(/^before\n[^]*\| pii \|[^]*\nafter\n$/);
  expect(once).not.toContain('old');
  expect(withGuardTables(once, rows, 'One core.')).toBe(once);
  expect(() => withGuardTables('no place', rows, '')).toThrow('no "<!-- guards');
});

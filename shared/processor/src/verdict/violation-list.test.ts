import { MAX_VIOLATIONS } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { createViolationList } from './violation-list.ts';

test('a violation keeps its rule, strategy, count and detail, and gets the name of the entry', () => {
  const list = createViolationList('guard');
  list.add({ message: 'Personal data: email.', rule: 'email', strategy: 'redact', count: 3, detail: { place: 'm1' } });
  expect(list.all()).toEqual([
    {
      processorId: 'guard',
      message: 'Personal data: email.',
      rule: 'email',
      strategy: 'redact',
      count: 3,
      detail: { place: 'm1' },
    },
  ]);
});

test('violations above the limit are one more that counts the findings of the rest', () => {
  const list = createViolationList('guard');
  for (let at = 0; at < MAX_VIOLATIONS; at++) list.add({ message: String(at) });
  list.add({ message: 'once' });
  list.add({ message: 'five times', count: 5 });
  expect(list.all()).toHaveLength(MAX_VIOLATIONS + 1);
  expect(list.all().at(-1)).toEqual({ processorId: 'guard', message: 'More was found than is listed.', count: 6 });
});

test('a violation is short, whatever its message and detail are', () => {
  const list = createViolationList('guard');
  const long = 'x'.repeat(1_000_000);
  list.add({ message: long, rule: long, strategy: long, detail: { found: long } });
  const [violation] = list.all();
  expect(violation?.message).toMatch(/^x+…$/);
  expect(violation?.detail).toMatch(/^\{"found":"x+…$/);
  expect(JSON.stringify(violation).length).toBeLessThan(20_000);
});

import { MAX_VIOLATIONS } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { createViolationList } from './violation-list.ts';

test('A violation keeps its rule, strategy, count and detail, and has the name of the entry', () => {
  const list = createViolationList('guard');
  list.add({ message: 'Personal data: email.', rule: 'email', strategy: 'redact', count: 3, detail: { place: 'm1' } });
  expect(list.listAll()).toEqual([
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

test('One more violation counts the findings above the limit', () => {
  const list = createViolationList('guard');
  for (let at = 0; at < MAX_VIOLATIONS; at++) list.add({ message: String(at) });
  list.add({ message: 'once' });
  list.add({ message: 'five times', count: 5 });
  expect(list.listAll()).toHaveLength(MAX_VIOLATIONS + 1);
  expect(list.listAll().at(-1)).toEqual({
    processorId: 'guard',
    message: 'Findings above the limit are counted only.',
    count: 6,
  });
});

test('The message and the detail of a violation are bounded', () => {
  const list = createViolationList('guard');
  const long = 'x'.repeat(1_000_000);
  list.add({ message: long, rule: long, strategy: long, detail: { found: long } });
  const [violation] = list.listAll();
  expect(violation?.message).toMatch(/^x+…$/);
  expect(violation?.detail).toMatch(/^\{"found":"x+…$/);
  expect(JSON.stringify(violation).length).toBeLessThan(20_000);
});

import { loadProcessors } from '@millrace/testkit/in-process';
import { expect, test } from 'vitest';
import { formsOf, GUARD_OPTIONS, WITHOUT_TEXT } from './guard-forms.ts';

const definitions = await loadProcessors('guardrails');

test('every guard is measured, or named as one that reads no text', () => {
  expect([...Object.keys(GUARD_OPTIONS), ...WITHOUT_TEXT].toSorted()).toEqual(
    definitions.map(({ id }) => id).toSorted(),
  );
});
test.each(definitions.filter(({ id }) => id in GUARD_OPTIONS))(
  '$id takes its options, and meets texts in a form',
  (one) => {
    expect(one.options.safeParse(GUARD_OPTIONS[one.id]).error).toBeUndefined();
    expect(formsOf(one).length).toBeGreaterThan(0);
  },
);

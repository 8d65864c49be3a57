import { loadProcessors } from '@millrace/testkit/in-process';
import { expect, test } from 'vitest';
import { listForms, GUARD_OPTIONS, WITHOUT_TEXT } from './guard-forms.ts';

const definitions = await loadProcessors('guardrails');

test('every guard is measured, or listed as one that does no work on texts itself', () => {
  expect([...Object.keys(GUARD_OPTIONS), ...WITHOUT_TEXT].toSorted()).toEqual(
    definitions.map(({ id }) => id).toSorted(),
  );
});
test.each(definitions.filter(({ id }) => id in GUARD_OPTIONS))(
  '$id accepts its options and reads texts in a form',
  (one) => {
    expect(one.options.safeParse(GUARD_OPTIONS[one.id]).error).toBeUndefined();
    expect(listForms(one).length).toBeGreaterThan(0);
  },
);

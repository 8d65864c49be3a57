import { loadProcessors } from '@millrace/testkit/in-process';
import { expect, test } from 'vitest';
import { listForms } from './guard-forms.ts';
import { GUARD_OPTIONS } from './guard-options.ts';

const definitions = await loadProcessors('guardrails');

test.each(definitions.filter(({ id }) => id in GUARD_OPTIONS))(
  '$id accepts its options and reads texts in a form',
  (one) => {
    expect(one.options.safeParse(GUARD_OPTIONS[one.id]).error).toBeUndefined();
    expect(listForms(one).length).toBeGreaterThan(0);
  },
);

import { processorBounds } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { PROCESSORS } from './processors.ts';
import { listCases } from './testing/case-definitions.ts';
import { GUARD_CASES } from './testing/guard-cases.ts';
import { closeThreads } from './work/task.ts';

afterAll(closeThreads);

// One set of options per processor, because the suite calls every stage with eighteen texts.
for (const [guard, { options }] of listCases()) processorBounds(guard, options.slice(0, 1));

test('The table of cases has every processor of the service, and no other', () => {
  expect(Object.keys(GUARD_CASES).toSorted()).toEqual(PROCESSORS.map(({ id }) => id).toSorted());
});

import { processorBounds } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { PROCESSORS } from './processors.ts';
import { GUARD_CASES } from './testing/guard-cases.ts';
import { closeThreads } from './work/task.ts';

afterAll(closeThreads);

// One set of options per processor, because the suite calls every stage with eighteen texts.
for (const [guard, { options }] of GUARD_CASES) processorBounds(guard, options?.slice(0, 1));

test('the bounds suite covers every processor of the service', () => {
  const covered = GUARD_CASES.map(([{ id }]) => id);
  expect(covered.toSorted()).toEqual(PROCESSORS.map(({ id }) => id).toSorted());
});

// A unit test needs no server and no process. That the check can see is proved with planted tests in unit-problems.test.ts.
import { expect, test } from 'vitest';
import { isUnitTest, unitProblems } from './unit-problems.ts';
import { readSources } from './workspace.ts';

const sources = readSources();

test('no unit test of the workspace uses a server or a process of its own', () => {
  expect(sources.filter(({ path }) => isUnitTest(path)).length).toBeGreaterThan(50);
  expect(unitProblems(sources)).toEqual([]);
});

// A unit test needs no server and no process. Planted tests in unit-problems.test.ts show that the check works.
import { expect, test } from 'vitest';
import { isUnitTest, unitProblems } from './unit-problems.ts';
import { readSources } from './workspace.ts';

const sources = readSources();

test('no unit test of the workspace starts a server or a process', () => {
  expect(sources.filter(({ path }) => isUnitTest(path)).length).toBeGreaterThan(50);
  expect(unitProblems(sources)).toEqual([]);
});

// Defines the tests that use a server or a process. unit-problems.tree.test.ts checks the unit tests.
import { expect, test } from 'vitest';
import { unitProblems } from './unit-problems.ts';

const plantSource = (path: string, text: string) =>
  unitProblems([
    { path, text },
    { path: 's/src/testing/rig.ts', text: "import { useNats } from '@millrace/testkit';" },
    { path: 's/src/plain.ts', text: "import { spawn } from 'node:child_process';" },
  ]);

test.each([
  ['a server', "import { useNats } from '@millrace/testkit';", 'useNats'],
  ['a server under another name', "import { useRedis as store } from '@millrace/testkit';", 'useRedis'],
  ['a stack', "import { startStack } from '@millrace/testkit/bench';", 'startStack'],
  ['a process', "import { spawn } from 'node:child_process';", 'node:child_process'],
  ['a server of its own', "import { startNats } from '@millrace/servers';", 'startNats'],
  ['a rig that has a server', "import { rig } from './testing/rig.ts';", 'useNats'],
])('the check reports a unit test that uses %s', (_, text, what) => {
  expect(plantSource('s/src/a.test.ts', text)).toEqual([expect.stringContaining(what)]);
  expect(plantSource('s/src/a.integration.test.ts', text)).toEqual([]);
  expect(plantSource('test/e2e/a.test.ts', text)).toEqual([]);
});

test.each([
  ['the rest of the testkit', "import { eventually, callStages } from '@millrace/testkit';"],
  ['the type of a server', "import type { TestNats } from '@millrace/testkit';"],
  ['a source that can start a process', "import { plain } from './plain.ts';"],
])('the check allows a unit test to use %s', (_, text) => {
  expect(plantSource('s/src/a.test.ts', text)).toEqual([]);
});

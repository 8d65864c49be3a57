// What makes a test one with a server or a process. That no unit test is: unit-problems.tree.test.ts.
import { expect, test } from 'vitest';
import { unitProblems } from './unit-problems.ts';

const planted = (path: string, text: string) =>
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
])('a unit test that uses %s is named', (_, text, what) => {
  expect(planted('s/src/a.test.ts', text)).toEqual([expect.stringContaining(what)]);
  expect(planted('s/src/a.integration.test.ts', text)).toEqual([]);
  expect(planted('test/e2e/a.test.ts', text)).toEqual([]);
});

test.each([
  ['the rest of the testkit', "import { eventually, callStages } from '@millrace/testkit';"],
  ['the type of a server', "import type { TestNats } from '@millrace/testkit';"],
  ['a source that can start a process', "import { plain } from './plain.ts';"],
])('a unit test may use %s', (_, text) => {
  expect(planted('s/src/a.test.ts', text)).toEqual([]);
});

// The conventions that a reader relies on when looking for something.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileProblems } from './file-problems.ts';
import { readPackages, readSources, root } from './workspace.ts';

/** Files that may break a rule, with the reason. */
const excused: Readonly<Record<string, string>> = {};

/** Services that have no DESIGN.md, with the reason. */
const withoutDesign: Readonly<Record<string, string>> = {
  'services/orchestrator': 'its decisions stand at the head of each file; the README follows one run through them',
};

describe('a planted file', () => {
  const lines = (count: number) => 'f();\n'.repeat(count);

  test.each([
    ['too long', 'shared/a/src/long.ts', lines(301)],
    ['called utils', 'shared/a/src/utils.ts', ''],
    ['called helpers, and a test', 'shared/a/src/helpers.test.ts', ''],
    ['called something-utils', 'shared/a/src/string-utils.ts', ''],
    ['in a folder called common', 'shared/a/src/common/a.ts', ''],
    ['with a default export', 'shared/a/src/a.ts', 'export default 1;'],
  ])('%s is found', (_, path, text) => {
    expect(fileProblems({ path, text })).toHaveLength(1);
  });

  test.each([
    ['just short enough', 'shared/a/src/long.ts', lines(300)],
    ['with such a word in front', 'shared/a/src/common-args.ts', ''],
    ['of configuration', 'vitest.config.ts', 'export default 1;'],
  ])('%s is fine', (_, path, text) => {
    expect(fileProblems({ path, text })).toEqual([]);
  });
});

test('no file is over 300 lines, has a default export or a name that says nothing', () => {
  const broken = readSources().filter((source) => fileProblems(source).length > 0);
  const found = broken.filter(({ path }) => !excused[path]).flatMap(fileProblems);
  expect(found).toEqual([]);
  expect(Object.keys(excused).filter((path) => !broken.some((source) => source.path === path))).toEqual([]);
});

test('every service has a DESIGN.md, or a reason for having none', () => {
  const services = readPackages().flatMap(({ dir }) => (dir.startsWith('services/') ? [dir] : []));
  const without = services.filter((dir) => !existsSync(join(root, dir, 'DESIGN.md')));
  expect(without.filter((dir) => !withoutDesign[dir])).toEqual([]);
});

// Conventions on which readers rely in their search.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileProblems } from './file-problems.ts';
import { readPackages, readSources, root } from './workspace.ts';

/** Files that are allowed to break a rule, with the reason. */
const excused: Readonly<Record<string, string>> = {};

describe('problems of planted files', () => {
  const lines = (count: number) => 'f();\n'.repeat(count);

  test.each([
    ['too long', 'shared/a/src/long.ts', lines(301)],
    ['called utils', 'shared/a/src/utils.ts', ''],
    ['called helpers, and a test', 'shared/a/src/helpers.test.ts', ''],
    ['called something-utils', 'shared/a/src/string-utils.ts', ''],
    ['in a folder called common', 'shared/a/src/common/a.ts', ''],
    ['with a default export', 'shared/a/src/a.ts', 'export default 1;'],
  ])('the check reports %s', (_, path, text) => {
    expect(fileProblems({ path, text })).toHaveLength(1);
  });

  test.each([
    ['just short enough', 'shared/a/src/long.ts', lines(300)],
    ['with such a word in front', 'shared/a/src/common-args.ts', ''],
    ['of configuration', 'vitest.config.ts', 'export default 1;'],
  ])('the check accepts %s', (_, path, text) => {
    expect(fileProblems({ path, text })).toEqual([]);
  });
});

test('no file has over 300 lines, a default export or a name without meaning', () => {
  const broken = readSources().filter((source) => fileProblems(source).length > 0);
  const found = broken.filter(({ path }) => !excused[path]).flatMap(fileProblems);
  expect(found).toEqual([]);
  expect(Object.keys(excused).filter((path) => !broken.some((source) => source.path === path))).toEqual([]);
});

test('Every service has a DESIGN.md', () => {
  const services = readPackages().flatMap(({ dir }) => (dir.startsWith('services/') ? [dir] : []));
  expect(services.filter((dir) => !existsSync(join(root, dir, 'DESIGN.md')))).toEqual([]);
});

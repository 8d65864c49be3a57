// Plants a violation of every kind, which the checker must report.
import { describe, expect, test } from 'vitest';
import { importProblems, manifestProblems } from './import-problems.ts';
import type { Package } from './workspace.ts';

const makePackage = (dir: string, more: Partial<Package> = {}): Package => ({
  name: `@millrace/${dir.slice(dir.lastIndexOf('/') + 1)}`,
  dir,
  dependencies: [],
  devDependencies: [],
  exports: ['.'],
  ...more,
});

const bus = makePackage('shared/bus', { dependencies: ['@millrace/contracts', 'zod'] });
const models = makePackage('shared/models', { exports: ['.', './json-schema', './testing'] });
const tools = makePackage('services/tools', {
  dependencies: ['@millrace/contracts', '@millrace/models', 'decimal.js', 'hono'],
});
const black = makePackage('test', { dependencies: ['@millrace/client'] });
const testkit = makePackage('shared/testkit', { exports: ['.', './bench'] });
const packages = [
  bus,
  models,
  tools,
  black,
  testkit,
  makePackage('shared/contracts'),
  makePackage('services/guardrails'),
];

const problems = (pkg: Package, file: string, specifier: string) =>
  importProblems(pkg, `${pkg.dir}/${file}`, [specifier], packages);

describe('imports', () => {
  test.each([
    ['a service', tools, 'src/main.ts', '@millrace/guardrails', 'the import table'],
    ['a service, in a test', tools, 'src/main.test.ts', '@millrace/guardrails', 'the import table'],
    ['a service, from shared', bus, 'src/mod.ts', '@millrace/tools', 'the import table'],
    ['a package above it', bus, 'src/mod.ts', '@millrace/models', 'the import table'],
    ['more than a black box has', black, 'e2e/a.test.ts', '@millrace/bus', 'the import table'],
    ['the testkit, outside of tests', tools, 'src/main.ts', '@millrace/testkit', 'the import table'],
    ['a package that is not there', tools, 'src/main.ts', '@millrace/tool', 'the import table'],
    ['the inside of a package', tools, 'src/main.ts', '@millrace/contracts/src/subjects.ts', 'does not export'],
    ['a subpath that is not exported', tools, 'src/main.ts', '@millrace/models/test', 'does not export'],
    ['an export for tests', tools, 'src/main.ts', '@millrace/models/testing', 'tests only'],
    ['a path out of its package', tools, 'src/main.ts', '../../guardrails/src/main.ts', 'leaves its package'],
    ['a path to a folder with a longer name', tools, 'src/main.ts', '../../tools-more/src/a.ts', 'leaves its package'],
    ['a way around through node_modules', tools, 'src/a.ts', '../node_modules/hono/a.ts', 'node_modules'],
    ['a testing folder, outside of tests', tools, 'src/main.ts', './testing/fake.ts', 'tests only'],
    ['a package for tests, outside of tests', tools, 'src/main.ts', 'vitest', 'not among'],
    ['an allowed but unlisted package', tools, 'src/main.ts', '@millrace/bus', 'not among'],
    ['an absolute path', tools, 'src/main.ts', '/srv/a.ts', 'neither'],
    ['a URL', tools, 'src/main.ts', 'file:///srv/a.ts', 'neither'],
    ['a module of Node by its short name', tools, 'src/main.ts', 'fs', 'node:'],
  ])('the checker rejects an import of %s', (_, pkg, file, specifier, why) => {
    expect(problems(pkg, file, specifier)).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ['a package of its row', tools, 'src/main.ts', '@millrace/contracts'],
    ['an exported subpath', black, 'bench/src/main.ts', '@millrace/testkit/bench'],
    ['the testkit, in a test', tools, 'src/main.test.ts', '@millrace/testkit'],
    ['the testkit, in a helper of tests', tools, 'src/testing/fake.ts', '@millrace/testkit'],
    ['a testing folder, in a conformance suite', tools, 'src/conformance/reading.ts', '../testing/fake.ts'],
    ['the testkit, in a benchmark', tools, 'bench/hop.ts', '@millrace/testkit/bench'],
    ['a file of its own', tools, 'src/a/b.ts', '../c/d.ts'],
    ['a subpath of a library', tools, 'src/main.ts', 'hono/body-limit'],
    ['a module of Node', tools, 'src/main.ts', 'node:fs/promises'],
  ])('the checker allows an import of %s', (_, pkg, file, specifier) => {
    expect(problems(pkg, file, specifier)).toEqual([]);
  });

  test('the checker reports each import with its file', () => {
    const found = importProblems(bus, 'shared/bus/src/a.ts', ['@millrace/tools', 'zod', 'vitest'], packages);
    expect(found).toEqual([
      'shared/bus/src/a.ts: imports @millrace/tools, which the import table does not allow.',
      "shared/bus/src/a.ts: imports vitest, and vitest is not among its package's dependencies.",
    ]);
  });
});

describe('dependencies of a package.json', () => {
  test.each([
    ['a service in a service', makePackage('services/tools', { dependencies: ['@millrace/guardrails'] })],
    [
      'a service in a service, for development',
      makePackage('services/tools', { devDependencies: ['@millrace/guardrails'] }),
    ],
    ['a service in shared', makePackage('shared/bus', { dependencies: ['@millrace/tools'] })],
    ['the testkit as a dependency', makePackage('services/tools', { dependencies: ['@millrace/testkit'] })],
    ['a package that has no row', makePackage('shared/extras')],
    ["another folder's name", makePackage('services/tools', { name: '@millrace/guardrails' })],
  ])('the checker rejects a package.json with %s', (_, pkg) => {
    expect(manifestProblems(pkg)).toHaveLength(1);
  });

  test("the checker allows the packages of the table's row, the testkit for development and any library", () => {
    const fine = { dependencies: ['@millrace/contracts', 'zod'], devDependencies: ['@millrace/testkit', 'fast-check'] };
    expect(manifestProblems(makePackage('services/tools', fine))).toEqual([]);
    expect(manifestProblems(makePackage('test', { dependencies: ['@millrace/testkit'] }))).toEqual([]);
  });
});

// The checker itself: a violation of every kind is planted, and must be named. A checker that finds nothing is worth nothing.
import { describe, expect, test } from 'vitest';
import { importProblems, manifestProblems } from './import-problems.ts';
import type { Package } from './workspace.ts';

const of = (dir: string, more: Partial<Package> = {}): Package => ({
  name: `@millrace/${dir.slice(dir.lastIndexOf('/') + 1)}`,
  dir,
  dependencies: [],
  devDependencies: [],
  exports: ['.'],
  ...more,
});

const bus = of('shared/bus', { dependencies: ['@millrace/contracts', 'zod'] });
const models = of('shared/models', { exports: ['.', './json-schema', './testing'] });
const tools = of('services/tools', { dependencies: ['@millrace/contracts', '@millrace/models', 'decimal.js', 'hono'] });
const black = of('test', { dependencies: ['@millrace/client'] });
const testkit = of('shared/testkit', { exports: ['.', './bench'] });
const packages = [bus, models, tools, black, testkit, of('shared/contracts'), of('services/guardrails')];

const problems = (pkg: Package, file: string, specifier: string) =>
  importProblems(pkg, `${pkg.dir}/${file}`, [specifier], packages);

describe('an import', () => {
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
    ['what is exported for tests', tools, 'src/main.ts', '@millrace/models/testing', 'tests only'],
    ['a path out of its package', tools, 'src/main.ts', '../../guardrails/src/main.ts', 'leaves its package'],
    ['a path to a folder with a longer name', tools, 'src/main.ts', '../../tools-more/src/a.ts', 'leaves its package'],
    ['a way around through node_modules', tools, 'src/a.ts', '../node_modules/hono/a.ts', 'node_modules'],
    ['a testing folder, outside of tests', tools, 'src/main.ts', './testing/fake.ts', 'tests only'],
    ['a package for tests, outside of tests', tools, 'src/main.ts', 'vitest', 'not among'],
    ['what it may, but does not list', tools, 'src/main.ts', '@millrace/bus', 'not among'],
    ['an absolute path', tools, 'src/main.ts', '/srv/a.ts', 'neither'],
    ['a URL', tools, 'src/main.ts', 'file:///srv/a.ts', 'neither'],
    ['a module of Node by its short name', tools, 'src/main.ts', 'fs', 'node:'],
  ])('of %s is refused', (_, pkg, file, specifier, why) => {
    expect(problems(pkg, file, specifier)).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ['a package of its row', tools, 'src/main.ts', '@millrace/contracts'],
    ['an exported subpath', black, 'bench/src/main.ts', '@millrace/testkit/bench'],
    ['the testkit, in a test', tools, 'src/main.test.ts', '@millrace/testkit'],
    ['the testkit, in what tests use', tools, 'src/testing/fake.ts', '@millrace/testkit'],
    ['a testing folder, in a conformance suite', tools, 'src/conformance/reading.ts', '../testing/fake.ts'],
    ['the testkit, in a benchmark', tools, 'bench/hop.ts', '@millrace/testkit/bench'],
    ['a file of its own', tools, 'src/a/b.ts', '../c/d.ts'],
    ['a subpath of a library', tools, 'src/main.ts', 'hono/body-limit'],
    ['a module of Node', tools, 'src/main.ts', 'node:fs/promises'],
  ])('of %s is allowed', (_, pkg, file, specifier) => {
    expect(problems(pkg, file, specifier)).toEqual([]);
  });

  test('is judged one by one, and named with its file', () => {
    const found = importProblems(bus, 'shared/bus/src/a.ts', ['@millrace/tools', 'zod', 'vitest'], packages);
    expect(found).toEqual([
      'shared/bus/src/a.ts: imports @millrace/tools, which the import table does not allow.',
      "shared/bus/src/a.ts: imports vitest, and vitest is not among its package's dependencies.",
    ]);
  });
});

describe('a package.json', () => {
  test.each([
    ['a service in a service', of('services/tools', { dependencies: ['@millrace/guardrails'] })],
    ['a service in a service, for development', of('services/tools', { devDependencies: ['@millrace/guardrails'] })],
    ['a service in shared', of('shared/bus', { dependencies: ['@millrace/tools'] })],
    ['the testkit as a dependency', of('services/tools', { dependencies: ['@millrace/testkit'] })],
    ['a package that has no row', of('shared/extras')],
    ["another folder's name", of('services/tools', { name: '@millrace/guardrails' })],
  ])('with %s is refused', (_, pkg) => {
    expect(manifestProblems(pkg)).toHaveLength(1);
  });

  test('with its row, the testkit for development and any library is allowed', () => {
    const fine = { dependencies: ['@millrace/contracts', 'zod'], devDependencies: ['@millrace/testkit', 'fast-check'] };
    expect(manifestProblems(of('services/tools', fine))).toEqual([]);
    expect(manifestProblems(of('test', { dependencies: ['@millrace/testkit'] }))).toEqual([]);
  });
});

// The import table holds for every package.json and every import of the workspace. import-problems.test.ts shows that
// the checks work.
import { expect, test } from 'vitest';
import { importProblems, manifestProblems } from './import-problems.ts';
import { IMPORT_TABLE } from './import-table.ts';
import { readFacts } from './source-facts.ts';
import { findPackage, readPackages, readSources } from './workspace.ts';

const packages = readPackages();
const sources = readSources();

test('every package.json conforms to the import table', () => {
  expect(packages.flatMap(manifestProblems)).toEqual([]);
});

test('every import conforms to the import table', () => {
  const found = sources.flatMap(({ path, text }) => {
    const pkg = findPackage(path, packages);
    return pkg ? importProblems(pkg, path, readFacts(path, text).imports, packages) : [];
  });
  expect(found).toEqual([]);
});

/** Its programs are JavaScript and Python, as a reader starts them. */
const WITHOUT_TYPESCRIPT = new Set(['examples/http-examples']);

test('the test reads the sources of every package', () => {
  const withSources = new Set(sources.map(({ path }) => findPackage(path, packages)?.dir));
  expect(packages.map(({ dir }) => dir).filter((dir) => !withSources.has(dir) && !WITHOUT_TYPESCRIPT.has(dir))).toEqual(
    [],
  );
});

test('no row of the table imports a service, and only the black-box tests import the testkit', () => {
  const services = packages.flatMap(({ dir, name }) => (dir.startsWith('services/') ? [name] : []));
  expect(services).toContain('@millrace/orchestrator');
  expect(
    Object.entries(IMPORT_TABLE).flatMap(([name, allowed]) =>
      allowed
        .filter((other) => services.includes(`@millrace/${other}`) || (other === 'testkit' && name !== 'test'))
        .map((other) => `${name} imports ${other}`),
    ),
  ).toEqual([]);
});

test('Each row of the table has a package', () => {
  const names = packages.map(({ name }) => name);
  expect(Object.keys(IMPORT_TABLE).filter((row) => !names.includes(`@millrace/${row}`))).toEqual([]);
});

test('the table has no cycle', () => {
  const canReach = (name: string, seen: string[]): boolean =>
    (IMPORT_TABLE[name] ?? []).some((next) => seen.includes(next) || canReach(next, [...seen, next]));
  expect(Object.keys(IMPORT_TABLE).filter((name) => canReach(name, [name]))).toEqual([]);
});

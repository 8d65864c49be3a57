// The import table holds for every package.json and every import of the workspace. That the checks can see is proved in
// import-problems.test.ts.
import { expect, test } from 'vitest';
import { importProblems, manifestProblems } from './import-problems.ts';
import { IMPORT_TABLE } from './import-table.ts';
import { readFacts } from './source-facts.ts';
import { packageOf, readPackages, readSources } from './workspace.ts';

const packages = readPackages();
const sources = readSources();

test('every package.json keeps to the import table', () => {
  expect(packages.flatMap(manifestProblems)).toEqual([]);
});

test('every import keeps to the import table', () => {
  const found = sources.flatMap(({ path, text }) => {
    const pkg = packageOf(path, packages);
    return pkg ? importProblems(pkg, path, readFacts(path, text).imports, packages) : [];
  });
  expect(found).toEqual([]);
});

test('what was read is the whole workspace: sources of every package', () => {
  const withSources = new Set(sources.map(({ path }) => packageOf(path, packages)?.dir));
  expect(packages.map(({ dir }) => dir).filter((dir) => !withSources.has(dir))).toEqual([]);
});

test('the table lets nobody import a service, and only the black-box tests the testkit', () => {
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

test('the table has no circle', () => {
  const reaches = (name: string, seen: string[]): boolean =>
    (IMPORT_TABLE[name] ?? []).some((next) => seen.includes(next) || reaches(next, [...seen, next]));
  expect(Object.keys(IMPORT_TABLE).filter((name) => reaches(name, [name]))).toEqual([]);
});

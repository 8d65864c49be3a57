// Checks that every shipped processor runs the conformance suite: a test of its service that calls the suite imports
// the processor, directly or through test helpers.
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { isTestPath } from './import-problems.ts';
import { readFacts } from './source-facts.ts';
import { readSources, type Source } from './workspace.ts';

/** The list of the processors of a service. */
const isRegistry = (path: string): boolean => path.endsWith('/src/processors.ts');

/** Finds the sources of services that define a processor and have no test that runs the suite on it. */
function findUntested(sources: readonly Source[]): string[] {
  const read = sources
    .filter(({ path }) => path.startsWith('services/'))
    .map(({ path, text }) => ({ path, ...readFacts(path, text) }));
  const uses = (name: string) => read.filter(({ names }) => names.some((imported) => imported.name === name));
  const importsByPath = new Map(
    read.map(({ path, imports }) => [path, imports.map((specifier) => posix.join(posix.dirname(path), specifier))]),
  );
  const tested = new Set<string>();
  // A rig in the testing folder can create the processor under test, and a suite can call all of the registry.
  const reach = (path: string): void => {
    if (tested.has(path)) return;
    tested.add(path);
    if (isTestPath(path) || isRegistry(path)) importsByPath.get(path)?.forEach(reach);
  };
  for (const { path } of uses('processorConformance')) reach(path);
  return uses('defineProcessor').flatMap(({ path }) => (isTestPath(path) || tested.has(path) ? [] : [path]));
}

test('every processor that a service defines runs the conformance suite', () => {
  expect(findUntested(readSources())).toEqual([]);
});

test('a processor without the suite is reported', () => {
  const guard = { path: 'services/a/src/guard.ts', text: "import { defineProcessor } from '@millrace/processor';" };
  const other = { ...guard, path: 'services/a/src/other.ts' };
  const text = "import { processorConformance } from '@millrace/testkit'; import { guard } from './guard.ts';";
  expect(findUntested([guard, other, { path: 'services/a/src/conformance.test.ts', text }])).toEqual([other.path]);
});

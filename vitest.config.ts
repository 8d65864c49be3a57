// All tests of the workspace: a project for each package that has any, so that `vitest run --project bus` runs one package's.
// Every test file has a process of its own; the leak check (setup file) fails one that leaves something running behind.
import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { defineConfig } from 'vitest/config';

const manifests = [
  'shared/*/package.json',
  'services/*/package.json',
  'deploy/dev/package.json',
  'examples/*/package.json',
];
const packages = globSync(manifests, { cwd: import.meta.dirname })
  .map(dirname)
  .toSorted();

/** Servers start within it, also when other test files keep both cores busy. */
const hookTimeoutMs = 60_000;
const testTimeoutMs = 30_000;

export default defineConfig({
  test: {
    pool: 'forks',
    /** Most tests wait more than they compute, but those that count milliseconds need a core. */
    maxWorkers: 2,
    testTimeout: testTimeoutMs,
    hookTimeout: hookTimeoutMs,
    globalSetup: 'shared/testkit/src/global-setup.ts',
    setupFiles: 'shared/testkit/src/leak-check.ts',
    passWithNoTests: true,
    projects: [
      ...packages.map((dir) => project(basename(dir), `${dir}/src/**/*.test.ts`)),
      project('test', 'test/**/*.test.ts'),
    ],
  },
});

function project(name: string, include: string) {
  return { extends: true as const, test: { name, include: [include] } };
}

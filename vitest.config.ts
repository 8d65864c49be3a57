// All tests of the workspace: a project for each package that has any, so that `vitest run --project bus` runs one package's.
// The files of a project share its processes: most of a file's processor time would be the start of one and the loading of what it
// imports. The leak check (setup file) fails a file that leaves something running behind for the next.
import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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
/** Where the files are that take longest: they begin, so that none of them is alone at the end. */
const LONGEST = ['test/faults/', 'test/e2e/', 'test/'];

class LongestFirst extends BaseSequencer {
  /** Besides, as ever: a project's files one after the other, of those the longest first that a run before this one knows. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((folder) => moduleId.startsWith(`${import.meta.dirname}/${folder}`));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    isolate: false,
    /** Most tests wait more than they compute, but those that count milliseconds need a core. */
    maxWorkers: 3,
    /** Services and commands that tests start: none strips and compiles again what another has. */
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    /** CI's verdict does not hang on one late moment of its machine. What needed its second try is listed there by name. */
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: testTimeoutMs,
    hookTimeout: hookTimeoutMs,
    sequence: { sequencer: LongestFirst },
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

// All tests of the workspace. `vitest run shared/bus` runs the tests of one package.
// The files of a project share its processes, because starting one and loading the imports would take most of a file's processor time.
// The leak check (setup file) fails a file that leaves a resource open for the next.
import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const manifests = [
  'shared/*/package.json',
  'services/*/package.json',
  'deploy/*/package.json',
  'examples/*/package.json',
  'console/package.json',
];
const packages = globSync(manifests, { cwd: import.meta.dirname })
  .map(dirname)
  .toSorted();

/** Long enough for the start of servers while other test files keep both cores busy. */
const hookTimeoutMs = 60_000;
const testTimeoutMs = 30_000;
const pollTimeoutMs = 10_000;
/** Tests scale the production durations to a fifth: shared/contracts/src/timings.ts. */
const TIME_SCALE = '0.2';
// Shares compiled sources between the workers and all programs that tests start. Node reads the variable when a process starts.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');
/** Tests with Chromium, slowest first. */
const IN_A_BROWSER = [
  'test/console/actions.test.ts',
  'test/console/chat.test.ts',
  'test/console/pages.test.ts',
  'test/e2e/use-chat.test.ts',
  'test/console/live.test.ts',
  'test/e2e/browser.test.ts',
];
/** Folders and names of the slowest files: they start first, so that none of them runs alone at the end. */
const LONGEST = [
  'test/faults/',
  // Waits for a package archive.
  'shared/servers/src/debian-package',
  ...IN_A_BROWSER,
  'test/e2e/',
  'test/',
  'services/guardrails/',
  'services/orchestrator/',
  'shared/check/',
  'deploy/dev/',
  'services/gateway/src/openai/clients/',
  'services/tools/src/mcp/',
  'shared/cli/',
  'services/auth/src/callout/',
];
/** Packages with a separate project; all others share one, because each project starts its own worker. */
const LARGE = ['services/guardrails', 'services/orchestrator'];

type ProjectConfig = NonNullable<TestProjectInlineConfiguration['test']>;

class LongestFirst extends BaseSequencer {
  /** Keeps the base order within a folder: the files of a project in sequence, slowest of the previous run first. */
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
    /** The tests import their sources natively: without the transforms of Vite, and with the compile cache. */
    experimental: { viteModuleRunner: false, nodeLoader: false },
    /** A larger young generation saves 6 % of the processor time of test/e2e: most objects of a test die with the test. */
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64', '--initial-old-space-size=256'],
    /** Most tests wait more than they compute, but those that count milliseconds need a core. */
    maxWorkers: 8,
    /** Concurrent tests of a file wait for the bus and compute little. */
    maxConcurrency: 10,
    /** Inherited by the services and commands that tests start. */
    env: { MILLRACE_TIME_SCALE: TIME_SCALE },
    /** Retries once in CI, because of pauses of its machine. CI lists the tests that needed the second attempt. */
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: testTimeoutMs,
    hookTimeout: hookTimeoutMs,
    /** If other processes keep both cores busy, the default of one second expires before the condition holds. */
    expect: { poll: { timeout: pollTimeoutMs } },
    sequence: { sequencer: LongestFirst },
    globalSetup: 'shared/testkit/src/global-setup.ts',
    setupFiles: 'shared/testkit/src/leak-check.ts',
    passWithNoTests: true,
    projects: [
      project('test', ['test/!(faults)/**/*.test.ts'], { exclude: [...configDefaults.exclude, ...IN_A_BROWSER] }),
      // After all others, because browsers take both cores, and other tests count milliseconds.
      project('browser', IN_A_BROWSER, { maxWorkers: 4, sequence: { groupOrder: 1 } }),
      // Outages of these tests are as long as outages in production.
      project('faults', ['test/faults/**/*.test.ts'], { env: { MILLRACE_TIME_SCALE: '1' } }),
      ...LARGE.map((dir) => project(basename(dir), [findTests(dir)])),
      project('packages', packages.filter((dir) => !LARGE.includes(dir)).map(findTests)),
    ],
  },
});

function findTests(dir: string): string {
  return `${dir}/src/**/*.test.ts`;
}

function project(name: string, include: string[], more: ProjectConfig = {}) {
  return { extends: true as const, test: { name, include, ...more } };
}

// All tests of the workspace. `npm test -- shared/bus` runs the tests of one package.
// The files of a project share its processes, because starting one and loading the imports would take most of a file's processor time.
// The leak check (setup file) fails a file that leaves a resource open for the next.
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { useBatchScheduling } from './shared/testkit/src/run/batch-scheduling.ts';
import { COMPILE_CACHE } from './shared/testkit/src/run/compile-cache.ts';

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
/** Tests scale the production durations to a fifth: shared/contracts/src/base/timings.ts. */
const TIME_SCALE = process.env['MILLRACE_TIME_SCALE'] ?? '0.2';
/** A heap of a few more megabytes saves a quarter of the processor time of nats-server in tests. */
const GOGC = '400';
// Shares compiled sources between the workers and all programs that tests start. Node reads the variable when a process starts.
process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;
useBatchScheduling();
/** Tests with Chromium, which npm does not install: `npm run test:browser`. */
const IN_A_BROWSER = [
  'test/console/actions.test.ts',
  'test/console/chat.test.ts',
  'test/console/pages.test.ts',
  'test/e2e/use-chat.test.ts',
  'test/console/live.test.ts',
  'test/e2e/browser.test.ts',
];
/** These tests wait for outages of production length, so they start first. */
const FAULTS = 'test/faults/*.test.ts';
/** They follow, because each takes half a minute or more and none may run alone at the end. */
const LONGEST = [
  'test/faults/program/',
  'test/e2e/erase.test.ts',
  'test/e2e/check.test.ts',
  'shared/check/src/check-service',
  'shared/servers/src/debian-package',
];
/** Folders with files that keep a core busy. */
const BUSY = [
  'test/',
  'services/guardrails/',
  'shared/check/',
  'deploy/dev/',
  'services/gateway/src/openai/clients/',
  'services/tools/src/mcp/',
  'shared/cli/',
];

type ProjectConfig = NonNullable<TestProjectInlineConfiguration['test']>;

class Mixed extends BaseSequencer {
  /**
   * Spreads the busy files evenly between the others, so that the workers neither overload the cores nor wait together. Both keep the base
   * order: slowest of the previous run first.
   */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const select = (project: string) => sorted.filter((file) => file.project.name === project);
    const longest = select('test').filter(isIn(LONGEST));
    const rest = select('test').filter((file) => !longest.includes(file));
    const busy = rest.filter(isIn(BUSY));
    const quiet = rest.filter((file) => !busy.includes(file));
    // The other projects follow in the base order.
    return [...new Set([...select('faults'), ...longest, ...mix(busy, quiet), ...sorted])];
  }
}

const isIn =
  (folders: readonly string[]) =>
  ({ moduleId }: TestSpecification) =>
    folders.some((folder) => moduleId.startsWith(`${import.meta.dirname}/${folder}`));

/** Merges two lists in proportion to their lengths. */
function mix<T>(some: readonly T[], others: readonly T[]): T[] {
  const spread = (all: readonly T[]) => all.map((item, n) => ({ item, at: (n + 0.5) / all.length }));
  const placed = [...spread(some), ...spread(others)].toSorted((a, b) => a.at - b.at);
  return placed.map(({ item }) => item);
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
    env: { MILLRACE_TIME_SCALE: TIME_SCALE, GOGC },
    /** Retries once in CI, because of pauses of its machine. CI lists the tests that needed the second attempt. */
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: testTimeoutMs,
    hookTimeout: hookTimeoutMs,
    /** If other processes keep both cores busy, the default of one second expires before the condition holds. */
    expect: { poll: { timeout: pollTimeoutMs } },
    sequence: { sequencer: Mixed },
    globalSetup: 'shared/testkit/src/servers/global-setup.ts',
    setupFiles: 'shared/testkit/src/run/leak-check.ts',
    projects: [
      project('test', ['test/**/*.test.ts', ...packages.map(findTests)], {
        exclude: [...configDefaults.exclude, ...IN_A_BROWSER, FAULTS],
      }),
      // If all projects run, after the others: browsers take both cores, and other tests count milliseconds.
      project('browser', IN_A_BROWSER, { maxWorkers: 4, sequence: { groupOrder: 1 } }),
      project('faults', [FAULTS], { env: { MILLRACE_TIME_SCALE: '1' } }),
    ],
  },
});

function findTests(dir: string): string {
  return `${dir}/src/**/*.test.ts`;
}

function project(name: string, include: string[], more: ProjectConfig = {}) {
  return { extends: true as const, test: { name, include, ...more } };
}

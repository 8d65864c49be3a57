// What needs no server and no process of its own, in seconds: `npm run test:unit`. Nothing is looked for or fetched first, and the
// files share workers: most of a small test's time would be the start of a process. Properties over many generated cases
// (*.property.test.ts), worst cases that take their time (*.bounds.test.ts) and checks that parse every source (*.tree.test.ts) are left
// to `npm test`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      '{shared,services}/*/src/**/*.test.ts',
      '{deploy/dev,examples/*}/src/**/*.test.ts',
      'test/architecture/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/*.{integration,property,bounds,tree}.test.ts'],
    pool: 'threads',
    isolate: false,
    /** Some tests wait more than they compute. */
    maxWorkers: 3,
    /** Long enough for a test that computes, also where others keep the cores busy. */
    testTimeout: 30_000,
    fsModuleCache: true,
    /** `npm test` is thorough. */
    env: { LEAK_CHECK: 'quick' },
    setupFiles: 'shared/testkit/src/leak-check.ts',
  },
});

// Tests without a server or a process, in seconds: `npm run test:unit`. It needs no setup, and the files share workers, because starting a
// process would take most of a small test's time. `npm test` adds properties over many generated cases (*.property.test.ts), slow worst
// cases (*.bounds.test.ts) and checks that parse every source (*.tree.test.ts).
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
    experimental: { viteModuleRunner: false, nodeLoader: false },
    /** Some tests wait more than they compute. */
    maxWorkers: 3,
    /** Long enough for a test that computes while others keep the cores busy. */
    testTimeout: 30_000,
    /** `npm test` runs the complete check. */
    env: { LEAK_CHECK: 'quick' },
    setupFiles: 'shared/testkit/src/run/leak-check.ts',
  },
});

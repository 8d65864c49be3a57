// Tests that run the reference itself: `npm run -s reference`, which installs it first. Not part of `npm test`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['src/**/*.check.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: '../../shared/testkit/src/servers/global-setup.ts',
  },
});

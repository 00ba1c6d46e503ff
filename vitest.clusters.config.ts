import { defineConfig } from 'vitest/config';

/**
 * Tests on real clusters: `npm run test:clusters`. Two files at a time, since tests mostly wait for time limits of the
 * clusters: a whole run needs 204 s of processor time.
 */
export default defineConfig({
  test: {
    name: 'clusters',
    include: ['test/clusters/**/*.test.ts'],
    globalSetup: ['test/clusters/prepare-clusters.ts'],
    maxWorkers: 2,
    // Daemons of a real cluster have races of their own; what fails twice has failed.
    retry: 1,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});

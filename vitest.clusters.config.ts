import { defineConfig } from 'vitest/config';

/** Tests on real clusters: `npm run test:clusters`. One file at a time, since each starts clusters of its own. */
export default defineConfig({
  test: {
    name: 'clusters',
    include: ['test/clusters/**/*.test.ts'],
    globalSetup: ['test/clusters/prepare-clusters.ts'],
    fileParallelism: false,
    maxWorkers: 1,
    // Daemons of a real cluster have races of their own; what fails twice has failed.
    retry: 1,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});

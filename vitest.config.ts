import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Each file builds its own world; loading the modules once instead of 95 times saves a tenth of the time.
    isolate: false,
    maxConcurrency: 3,
  },
});

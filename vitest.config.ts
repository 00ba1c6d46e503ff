import { defineConfig } from 'vitest/config';

const common = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Each file builds its own world; loading the modules once instead of 95 times saves a tenth of the time.
  isolate: false,
  maxConcurrency: 3,
};

/**
 * Every file of the CLI that runs commands which ask an engine, without the two that are about databases and servers
 * themselves, and what agents and `recover` do end to end.
 */
const BOTH_WAYS = [
  'test/cli/commands.test.ts',
  'test/cli/live-runs.test.ts',
  'test/cli/reset-and-retry.test.ts',
  'test/cli/decisions-flow.test.ts',
  'test/cli/decisions-triage.test.ts',
  'test/cli/routes.test.ts',
  'test/e2e/recover.test.ts',
  'test/e2e/agents.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/temporary-directory.ts'],
    maxWorkers: 2,
    projects: [
      { test: { ...common, name: 'here', include: ['test/**/*.test.ts'] } },
      {
        test: {
          ...common,
          name: 'server',
          include: BOTH_WAYS,
          env: { HOLDFAST_TEST_MODE: 'server' },
          setupFiles: ['test/cli/both-ways.ts'],
        },
      },
    ],
  },
});

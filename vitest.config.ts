import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './test/long-files-first.ts';
import { FACTOR } from './test/property-runs.ts';

const common = {
  testTimeout: 120_000 * FACTOR,
  hookTimeout: 120_000,
  // Each file builds its own world; loading the modules once instead of 95 times saves a tenth of the time.
  isolate: false,
  maxConcurrency: 3,
  setupFiles: ['test/property-seed.ts'],
};

/**
 * Every file of the CLI that runs commands which ask an engine, without the two that are about databases and servers
 * themselves, and what agents and `recover` do end to end.
 */
const BOTH_WAYS = [
  'test/cli/after-a-run.test.ts',
  'test/cli/command-line.test.ts',
  'test/cli/run-command.test.ts',
  'test/cli/logs-bundle.test.ts',
  'test/cli/spec-commands.test.ts',
  'test/cli/live-runs.test.ts',
  'test/cli/reset-and-retry.test.ts',
  'test/cli/files-by-content.test.ts',
  'test/cli/edits.test.ts',
  'test/cli/decisions-flow.test.ts',
  'test/cli/decisions-triage.test.ts',
  'test/cli/routes.test.ts',
  'test/e2e/recover.test.ts',
  'test/e2e/agents.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/temporary-directory.ts'],
    // Half of the time tests wait: for processes, due times and leases.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'here',
          include: ['test/**/*.test.ts'],
          // Real clusters: vitest.clusters.config.ts.
          exclude: ['test/clusters/**'],
        },
      },
      {
        test: {
          ...common,
          name: 'server',
          include: BOTH_WAYS,
          env: { HOLDFAST_TEST_MODE: 'server' },
          setupFiles: [...common.setupFiles, 'test/cli/both-ways.ts'],
        },
      },
    ],
  },
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedPostgres } from '../postgres/postgres-world.ts';
import { makeProject, runCli } from './run-cli.ts';

test('every command works on the database that DATABASE_URL names, and the state directory has none', async () => {
  const url = await (await sharedPostgres()).createDatabase();
  const cwd = makeProject({
    'spec.json': {
      name: 'stored',
      jobs: [
        { name: 'fine', command: 'echo it works' },
        {
          name: 'flaky',
          command: '[ "$HOLDFAST_ATTEMPT_ID" -ge 2 ]',
          retry: { max_retries_failure: 1, initial_retry_delay_ms: 10 },
        },
      ],
    },
  });
  const cli = (...args: string[]) => runCli(args, { cwd, env: { DATABASE_URL: url } });
  const ran = await cli('run', 'spec.json');
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('ok      fine')]);
  expect(ran.stdout).toContain('1 job recovered: flaky');
  expect((await cli('jobs', '--output', 'quiet')).stdout).toBe('fine\nflaky\n');
  expect((await cli('logs', 'fine')).stdout).toBe('it works\n');
  expect((await cli('attempts', '1', 'flaky', '--output', 'quiet')).stdout).toBe(
    'flaky r1 a1\nflaky r1 a2\n',
  );
  expect((await cli('doctor')).stdout).toMatch(/^ok +database +postgres/m);
  expect(existsSync(join(cwd, '.holdfast/holdfast.db'))).toBe(false);

  // From another directory it is the same state.
  const elsewhere = await runCli(['status', '1', '--output', 'quiet'], {
    cwd: makeProject(),
    env: { HOLDFAST_DATABASE_URL: url },
  });
  expect(elsewhere.stdout).toBe('completed\n');
});

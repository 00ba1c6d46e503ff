import { expect, onTestFinished, test } from 'vitest';
import { makeProject, runCli, startCli, until } from './run-cli.ts';

const retry = { max_retries_failure: 1, initial_retry_delay_ms: 1_500 };
const FLAKY = {
  name: 'flaky',
  command: 'echo "try $HOLDFAST_ATTEMPT_ID"; [ "$HOLDFAST_ATTEMPT_ID" -eq 2 ]',
  retry,
};
const JOBS = [FLAKY, { name: 'gpu', command: 'true', resource_requirements: { num_gpus: 1 } }];
const ASKED = { name: 'asked', command: 'exit 3' };

test('a log of a server is followed while a retry waits, until a decision is needed', {
  timeout: 60_000,
}, async () => {
  const cwd = makeProject({
    'flaky.json': { name: 'flaky', jobs: JOBS },
    'asked.json': { name: 'asked', use_pending_failed: true, jobs: [ASKED] },
  });
  const args = ['serve', '--with-worker', '--port', '0', '--output', 'quiet', '--log-level', 'silent'];
  const server = startCli(args, { cwd });
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
  });
  await until(() => server.output().stdout.includes('http'), 'it listens');
  const at = ['--server', server.output().stdout.trim()];
  expect((await runCli(['submit', 'flaky.json', ...at], { cwd })).code).toBe(0);
  // Begun before the first attempt, or between the two.
  const followed = await runCli(['logs', '1', 'flaky', '-f', ...at], { cwd });
  expect(followed).toMatchObject({ code: 0, stdout: 'try 1\ntry 2\n' });
  expect(followed.stderr).toContain('attempt 1: exit 1 - retry 1 of 1 after 1.5s');
  const explained = await runCli(['explain', '1', 'gpu', ...at], { cwd });
  expect(explained.stdout).toContain('room for one slot, 1 GPU\n');

  expect((await runCli(['submit', 'asked.json', ...at], { cwd })).code).toBe(0);
  const asked = await runCli(['logs', '2', 'asked', '-f', ...at], { cwd });
  expect(asked.stderr).toContain('the job waits for a decision; next: holdfast resolve');
  const watch = startCli(['watch', '1', ...at], { cwd });
  await until(
    () => watch.output().stderr.includes('no worker runs a job of this workflow now; '),
    'it says why',
  );
  watch.child.kill('SIGTERM');
  await watch.ended;
});

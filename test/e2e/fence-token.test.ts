import { expect, test } from 'vitest';
import { kill } from '../kill-process.ts';
import { jobsWorld } from './world.ts';

test('the token of an attempt is higher than that of every attempt before it, also after a lost one', async (context) => {
  const world = jobsWorld(context, [
    {
      name: 'publish',
      command: `echo "$HOLDFAST_ATTEMPT_TOKEN" >> tokens
        [ "$HOLDFAST_ATTEMPT_ID" != 2 ] || sleep 60
        [ "$HOLDFAST_ATTEMPT_ID" -ge 3 ]`,
      retry: { max_retries_failure: 1, initial_retry_delay_ms: 1 },
    },
  ]);
  const run = world.start('run', 'spec.json');
  await world.linesReached('tokens', 2);
  for (const { pid } of world.launchers()) kill(pid);
  expect((await run.ended).code).toBe(0);
  expect((await world.attempts()).map(({ state }) => state)).toEqual([
    'FAILED',
    'WORKER_FAILED',
    'SUCCEEDED',
  ]);
  const tokens = world.lines('tokens').map(Number);
  expect(tokens).toHaveLength(3);
  expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
});

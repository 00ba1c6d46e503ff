import { expect, test } from 'vitest';
import { DEFAULT_RETRY } from '../../src/core/policy/retry-policy.ts';
import { ServerWorld } from './server-world.ts';

/** The retry policy that a job is stored with. */
async function retryOf(world: ServerWorld, job: object, more: object = {}): Promise<object> {
  const spec = { name: 'w', jobs: [{ name: 'a', command: 'false', ...job }] };
  const made = await world.ask({ method: 'POST', url: '/api/v1/workflows', body: { spec, ...more } });
  const stored = await world.ask({ url: `/api/v1/workflows/${made.json().id}/jobs/a` });
  return stored.json().config.retry;
}

test('the spec goes before the client, the client before the server, the server before the built-in defaults', async () => {
  const retryDefaults = { max_retries_failure: 2, max_retries_preemption: 7, initial_retry_delay_ms: 5 };
  const world = await ServerWorld.create({ retryDefaults });
  expect(await retryOf(world, {})).toEqual({ ...DEFAULT_RETRY, ...retryDefaults });
  const client = { retry_defaults: { max_retries_failure: 3, initial_retry_delay_ms: 0 } };
  expect(await retryOf(world, {}, client)).toEqual({
    ...DEFAULT_RETRY,
    max_retries_failure: 3,
    max_retries_preemption: 7,
    initial_retry_delay_ms: 0,
  });
  const retry = { max_retries_failure: 0, max_retries_preemption: 1 };
  expect(await retryOf(world, { retry }, client)).toEqual({
    ...DEFAULT_RETRY,
    ...retry,
    initial_retry_delay_ms: 0,
  });
});

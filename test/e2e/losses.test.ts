import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { NOTHING } from '../engine/engine-world.ts';
import { kill } from '../kill-process.ts';
import { jobsWorld, makeWorld, type World } from './world.ts';

/** Loses the attempt with its launcher, once the store knows that it has started. */
async function loseAttempt(world: World, attemptId: number): Promise<void> {
  await world.jobWhich(
    `attempt ${attemptId} runs`,
    (job) => job.status === 'running' && job.attempt_id === attemptId,
  );
  for (const { pid } of world.launchers()) kill(pid);
}

const HANG = 'echo "$HOLDFAST_ATTEMPT_ID" >> runs; while :; do sleep 0.1; done';

describe.concurrent('a lost attempt', () => {
  test('is charged to the preemption budget, never to that of failures', async (context) => {
    const world = jobsWorld(context, [
      {
        name: 'job',
        command: `case $HOLDFAST_ATTEMPT_ID in 2) exit 1 ;; 4) exit 0 ;; esac; ${HANG}`,
        retry: { max_retries_failure: 1, initial_retry_delay_ms: 10 },
      },
    ]);
    const run = world.start('run', 'spec.json');
    await loseAttempt(world, 1);
    await loseAttempt(world, 3);
    expect((await run.ended).code).toBe(0);
    expect((await world.attempts()).map(({ state, cause }) => [state, cause])).toEqual([
      ['WORKER_FAILED', 'lost'],
      ['FAILED', 'exit'],
      ['WORKER_FAILED', 'lost'],
      ['SUCCEEDED', null],
    ]);
    expect(await world.job('job')).toMatchObject({
      status: 'completed',
      failure_count: 1,
      preemption_count: 2,
    });
  });

  test('does not count against the executions of a failure handler', async (context) => {
    const job = {
      name: 'job',
      command: `case $HOLDFAST_ATTEMPT_ID in 2 | 4) exit 10 ;; 5) exit 0 ;; esac; ${HANG}`,
      failure_handler: 'fix',
    };
    const handlers = [{ name: 'fix', rules: [{ exit_codes: [10], max_retries: 3 }] }];
    const world = jobsWorld(context, [job], { failure_handlers: handlers });
    const run = world.start('run', 'spec.json');
    await loseAttempt(world, 1);
    await loseAttempt(world, 3);
    expect((await run.ended).code).toBe(0);
    expect((await world.attempts()).map(({ cause, handler_outcome }) => [cause, handler_outcome])).toEqual([
      ['lost', null],
      ['exit', 'Retried'],
      ['lost', null],
      ['exit', 'Retried'],
      [null, null],
    ]);
    expect(await world.job('job')).toMatchObject({ failure_count: 2, preemption_count: 2 });
  });

  test('ends the job when max_retries_preemption is used up', async (context) => {
    const world = jobsWorld(context, [{ name: 'job', command: HANG, retry: { max_retries_preemption: 1 } }]);
    const run = world.start('run', 'spec.json');
    await loseAttempt(world, 1);
    await loseAttempt(world, 2);
    expect((await run.ended).code).toBe(1);
    expect(world.lines('runs')).toEqual(['1', '2']);
    expect(await world.attempts()).toMatchObject([
      { state: 'WORKER_FAILED', is_worker_failure: true, verdict: 'requeue' },
      {
        state: 'WORKER_FAILED',
        is_worker_failure: true,
        verdict: 'fail',
        reason: 'worker_lost: no retries left after a lost worker (1 of 1 used)',
        category: 'infrastructure',
      },
    ]);
    expect(await world.job('job')).toMatchObject({ status: 'failed', failure_count: 0, preemption_count: 2 });
    await world.nothingLeft();
  });

  test('is charged also when the command kills its launcher with its first breath', async (context) => {
    const world = jobsWorld(context, [
      {
        name: 'job',
        command: 'echo run >> runs; kill -9 $PPID; sleep 60',
        retry: { max_retries_preemption: 1 },
      },
    ]);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(world.lines('runs')).toHaveLength(2);
    expect(await world.job('job')).toMatchObject({ status: 'failed', preemption_count: 2 });
    await world.nothingLeft();
  });

  test('that was claimed but never started is free of charge', async (context) => {
    const spec = JSON.stringify({ name: 'e2e', jobs: [{ name: 'job', command: 'echo run >> runs' }] });
    const world = makeWorld(context, { 'spec.json': spec });
    const loaded = loadSpec(spec, 'spec.json');
    if (!loaded.ok) throw new Error('the spec is wrong');
    const engine = await openEngine({ dir: join(world.dir, '.holdfast'), create: true });
    const { id } = await engine.createWorkflow({
      model: loaded.model,
      cwd: world.dir,
      output_dir: join(world.dir, 'output'),
      actor: 'tester',
    });
    const { pid } = spawnSync('true');
    const dead = await engine.registerWorker({ ...ownIdentity(), pid, start_time: '1' });
    await engine.adopt(id, dead.id);
    const capacity = { cpus: 1, memory_bytes: 1, gpus: 0, slots: 1, default_cpus: 1 };
    const { claims } = await engine.exchange(dead.id, { ...NOTHING, capacity, workflow_id: id });
    await engine.close();
    expect(claims.map((claim) => claim.job_name)).toEqual(['job']);
    expect(await world.job('job')).toMatchObject({ status: 'pending', attempt_id: 1 });

    expect(await world.run('run', '1')).toMatchObject({ code: 0 });
    expect(world.lines('runs')).toEqual(['run']);
    expect(await world.attempts()).toMatchObject([
      { state: 'WORKER_FAILED', started_at_ms: null, reason: 'claimed but never started, free of charge' },
      { state: 'SUCCEEDED' },
    ]);
    expect(await world.job('job')).toMatchObject({
      status: 'completed',
      failure_count: 0,
      preemption_count: 0,
    });
  });
});

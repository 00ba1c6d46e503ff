import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { type Databases, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** What is kept of an attempt, on any database. */
export function attemptBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[]) => worldOf(simpleModel(jobs), databases);

  describe('samples of an attempt', () => {
    const SAMPLES = [
      { at_ms: 250, rss_bytes: 1000, cpu_ms: 10 },
      { at_ms: 500, rss_bytes: 2000, cpu_ms: 200 },
    ];

    test('are kept, counted by the utilization, and read by attempt', async () => {
      const world = await makeWorld([
        { name: 'a', retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 } },
        { name: 'b' },
      ]);
      const worker = await world.remoteWorker();
      const [a, b] = await worker.claim();
      await worker.exchange({
        finished: [
          { claim: a!, outcome: outcome({ exit_code: 1 }), samples: SAMPLES },
          { claim: b!, outcome: outcome({ exit_code: 0 }) },
        ],
      });
      const used = (await world.engine.utilization(world.workflowId)).items;
      expect(used.map(({ name, run_id, sample_count }) => [name, run_id, sample_count])).toEqual([
        ['a', 1, 2],
        ['b', 1, 0],
      ]);
      const place = { job_id: a!.job_id, run_id: 1, attempt_id: 1 };
      expect(await world.engine.samples(world.workflowId, 'a')).toEqual({ ...place, samples: SAMPLES });
      const [again] = await worker.claim();
      expect(await world.engine.samples(world.workflowId, 'a')).toMatchObject({ attempt_id: 2, samples: [] });
      await worker.exchange({ finished: [{ claim: again!, outcome: outcome({ exit_code: 0 }) }] });
      expect(await world.engine.samples(world.workflowId, 'a', { attempt_id: 1 })).toMatchObject({
        samples: SAMPLES,
      });
    });

    test('of an attempt that another worker holds are not taken', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      const [claim] = await (await world.remoteWorker()).claim();
      world.passLease();
      const other = await world.remoteWorker();
      const facts = { claim: claim!, outcome: outcome({ exit_code: 0 }), samples: SAMPLES };
      expect((await other.exchange({ finished: [facts] })).rejected).toEqual([claim!.token]);
      expect((await world.engine.samples(world.workflowId, 'a')).samples).toEqual([]);
    });
  });

  test.each([
    ['separate', ['.o', '.e']],
    ['combined', ['.log', '.log']],
    ['no_stdout', [null, '.e']],
    ['no_stderr', ['.o', null]],
    ['none', [null, null]],
  ] as const)('an attempt with stdio %s has the paths of its logs', async (stdio, endings) => {
    const world = await makeWorld([{ name: 'a', stdio }]);
    await (await world.remoteWorker()).claim();
    const [attempt] = await world.attempts();
    const paths = endings.map((ending) =>
      ending === null ? '/dev/null' : `output/job_stdio/job_wf1_j${attempt!.job_id}_r1_a1${ending}`,
    );
    expect([attempt!.stdout_path, attempt!.stderr_path]).toEqual(paths);
  });

  test('attempt_id is the current attempt, or the next one of a job that is yet to run, from 1', async () => {
    const world = await makeWorld([
      { name: 'a', retry: { max_retries_failure: 1, initial_retry_delay_ms: 1000 } },
      { name: 'b', after: ['a'] },
    ]);
    const ids = async () =>
      (await world.jobs()).map(({ attempt_id, current_attempt_id }) => [attempt_id, current_attempt_id]);
    expect(await ids()).toEqual([
      [1, 1],
      [1, 1],
    ]);
    const worker = await world.remoteWorker();
    const [claim] = await worker.claim();
    expect(claim!.attempt_id).toBe(1);
    expect(await ids()).toEqual([
      [1, 1],
      [1, 1],
    ]);
    await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exit_code: 1 }) }] });
    expect(await ids()).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect((await world.engine.status(world.workflowId)).waiting).toMatchObject([{ attempt_id: 2 }]);
    world.clock.now += 1000;
    expect(await worker.runReady({ a: 1 })).toEqual(['a']);
    expect(await ids()).toEqual([
      [2, 2],
      [1, 1],
    ]);
    await world.engine.retryJob(world.workflowId, 'a', { actor: 'ann' });
    expect(await ids()).toEqual([
      [3, 3],
      [1, 1],
    ]);
  });
}

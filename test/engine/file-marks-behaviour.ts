import { describe, expect, test } from 'vitest';
import type { Claim } from '../../src/contract/records/exchange.ts';
import type { FileMark } from '../../src/core/files/file-mark.ts';
import type { StaleReason } from '../../src/core/files/stale-reason.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { crashedPost } from '../../src/core/job/post-result.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import {
  type Databases,
  type EngineWorld,
  ordersOf,
  statuses,
  type WorkerHand,
  worldOf,
} from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

const HASH = 'a'.repeat(64);
const CHANGED: StaleReason = { kind: 'input_changed', path: 'in.txt' };

function mark(role: FileMark['role'], path: string, changes: Partial<FileMark> = {}): FileMark {
  return {
    role,
    path,
    kind: 'file',
    size: 3,
    mtime_ns: '1700000000000000001',
    hash: HASH,
    problem: null,
    ...changes,
  };
}

/** The first job reads `in.txt` and writes `out.txt`. */
function declaring(jobs: SimpleJob[]): WorkflowModel {
  const model = simpleModel(jobs);
  const config = {
    ...model.jobs[0]!.config,
    input_files: ['in.txt'],
    given_files: ['in.txt'],
    output_files: ['out.txt'],
  };
  return { ...model, jobs: [{ ...model.jobs[0]!, config }, ...model.jobs.slice(1)] };
}

async function end(world: EngineWorld, worker: WorkerHand, claim: Claim, files: FileMark[], code = 0) {
  const { now } = world.clock;
  return world.engine.exchange(worker.id, {
    started: [],
    finished: [
      {
        token: claim.token,
        started_at_ms: now,
        finished_at_ms: now,
        outcome: outcome({ exit_code: code }),
        usage: null,
        files,
      },
    ],
    errands: [],
    capacity: null,
  });
}

/** What attempts found and left of declared files, and what starts over because of it, on any database. */
export function fileMarksBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[]) => worldOf(declaring(jobs), databases);
  const marks = async (world: EngineWorld) => (await world.engine.listFileMarks(world.workflowId)).items;

  describe('marks of declared files', () => {
    test('are stored with the end of the attempt, and only of the newest attempt are they read', async () => {
      const world = await makeWorld([
        { name: 'a', retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 } },
      ]);
      const job = { job_id: 1, name: 'a', cwd: null, given: ['in.txt'] };
      expect(await marks(world)).toEqual([
        { ...job, status: 'ready', run_id: null, attempt_id: null, files: [] },
      ]);
      const worker = await world.remoteWorker();
      const [first] = await worker.claim();
      await end(world, worker, first!, [mark('input', 'in.txt')], 1);
      expect(await marks(world)).toMatchObject([{ status: 'ready', attempt_id: 1, files: [{ hash: HASH }] }]);
      const [second] = await worker.claim();
      // An attempt of which nothing is known hides what earlier ones left.
      expect(await marks(world)).toMatchObject([{ attempt_id: 2, files: [] }]);
      const problem = 'it changed before it was read to its end';
      const files = [
        mark('input', 'in.txt', { size: 9_000_000_000_000, hash: null, problem }),
        mark('output', 'out.txt', { kind: 'missing', size: null, mtime_ns: null, hash: null }),
      ];
      await end(world, worker, second!, files);
      expect(await marks(world)).toEqual([{ ...job, status: 'completed', run_id: 1, attempt_id: 2, files }]);
    });

    test('of outputs are replaced by what the post script left', async () => {
      const world = await makeWorld([{ name: 'a', post: 'true' }]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      const ended = await end(world, worker, claim!, [mark('input', 'in.txt'), mark('output', 'out.txt')]);
      const [order] = ordersOf(ended, 'post');
      const post = { ...crashedPost(''), exit_code: 0, problem: null };
      const files = [mark('output', 'out.txt', { hash: 'b'.repeat(64) })];
      await worker.exchange({
        errands: [{ kind: 'post', id: order!.id, post, files }],
      });
      expect((await marks(world))[0]!.files.map(({ path, hash }) => [path, hash![0]])).toEqual([
        ['in.txt', 'a'],
        ['out.txt', 'b'],
      ]);
    });

    test("of an attempt that is not the worker's are not stored", async () => {
      const world = await makeWorld([{ name: 'a' }]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await end(world, worker, claim!, [mark('input', 'in.txt')]);
      const again = await end(world, worker, claim!, [mark('input', 'in.txt', { hash: 'b'.repeat(64) })]);
      expect(again.rejected).toEqual([claim!.token]);
      expect(await marks(world)).toMatchObject([{ files: [{ hash: HASH }] }]);
    });
  });

  describe('reinitialize', () => {
    const chain: SimpleJob[] = [
      { name: 'a' },
      { name: 'b', after: ['a'] },
      { name: 'c', after: ['b'] },
      { name: 'x' },
    ];

    test('begins a run with what is out of date and everything below it, each with a reason', async () => {
      const world = await makeWorld(chain);
      const worker = await world.remoteWorker();
      while ((await worker.runReady()).length > 0);
      world.passLease();
      const jobs = (await world.jobs()).map(({ id }) => id);
      const stale = [{ job_id: jobs[1]!, reason: CHANGED }];
      const request = { stale, actor: 'ann' };
      const preview = await world.engine.reinitialize(world.workflowId, { ...request, dry_run: true });
      expect(preview).toEqual({
        run_id: 2,
        jobs: [
          { id: jobs[1], name: 'b', status: 'completed', reason: CHANGED },
          { id: jobs[2], name: 'c', status: 'completed', reason: { kind: 'upstream', job: 'b' } },
        ],
      });
      expect(await statuses(world)).toEqual(['completed', 'completed', 'completed', 'completed']);
      expect(await world.engine.reinitialize(world.workflowId, request)).toEqual(preview);
      expect(await statuses(world)).toEqual(['completed', 'ready', 'blocked', 'completed']);
      const reset = (await world.events()).filter(({ type }) => type === 'run_reset');
      expect(reset).toMatchObject([
        { run_id: 2, actor: 'ann', data: { jobs: ['b', 'c'], reasons: { b: CHANGED } } },
      ]);
      const next = await world.remoteWorker();
      expect(await next.runReady()).toEqual(['b']);
      expect(await next.runReady()).toEqual(['c']);
      expect(await world.engine.status(world.workflowId)).toMatchObject({ complete: true, exit_code: 0 });
    });

    test('also runs what did not succeed, with a fresh budget, and nothing if all is well', async () => {
      const retry = { max_retries_failure: 1, initial_retry_delay_ms: 0 };
      const world = await makeWorld([
        { name: 'a' },
        { name: 'b', after: ['a'], retry },
        { name: 'c', after: ['b'] },
      ]);
      const worker = await world.remoteWorker();
      await worker.runReady();
      await worker.runReady({ b: 1 });
      await worker.runReady({ b: 1 });
      world.passLease();
      const { jobs } = await world.engine.reinitialize(world.workflowId, { stale: [], actor: 'ann' });
      expect(jobs.map(({ name, reason }) => [name, reason])).toEqual([
        ['b', { kind: 'unsuccessful', status: 'failed' }],
        ['c', { kind: 'upstream', job: 'b' }],
      ]);
      const next = await world.remoteWorker();
      await next.runReady({ b: 1 });
      expect(await next.runReady()).toEqual(['b']);
      await next.runReady();
      world.passLease();
      expect(await world.engine.reinitialize(world.workflowId, { stale: [], actor: 'ann' })).toEqual({
        run_id: 3,
        jobs: [],
      });
      expect((await world.engine.getWorkflow(world.workflowId)).run_id).toBe(2);
    });

    test('is refused while the run is driven, and for a job that the workflow does not have', async () => {
      const world = await makeWorld(chain);
      const worker = await world.remoteWorker();
      await worker.runReady();
      const ask = (job_id: number) =>
        world.engine.reinitialize(world.workflowId, { stale: [{ job_id, reason: CHANGED }], actor: 'ann' });
      await expect(ask(1)).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
      world.passLease();
      await expect(ask(999_999)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
      expect((await world.engine.getWorkflow(world.workflowId)).run_id).toBe(1);
    });
  });
}

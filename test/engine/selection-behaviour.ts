import { describe, expect, test } from 'vitest';
import type { RetryJobsRequest } from '../../src/contract/engine.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { type Databases, type EngineWorld, statuses, type WorkerHand, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** Changes of many jobs at once, chosen by names, patterns, statuses, fingerprints and places in the graph. */
export function selectionBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[], options?: Parameters<typeof simpleModel>[1]) =>
    worldOf(simpleModel(jobs, options), databases);
  const retry = (world: EngineWorld, request: Omit<RetryJobsRequest, 'actor'>) =>
    world.engine.retryJobs(world.workflowId, { actor: 'ann', ...request });
  const names = ({ jobs }: { jobs: { name: string }[] }) => jobs.map(({ name }) => name);
  const look = async (world: EngineWorld) => [await world.jobs(), await world.events()];

  /** prep → sim_1, sim_2, sim_3 → join; other. sim_1 and sim_2 fail. */
  const SWEEP: SimpleJob[] = [
    { name: 'prep' },
    { name: 'sim_1', after: ['prep'] },
    { name: 'sim_2', after: ['prep'] },
    { name: 'sim_3', after: ['prep'] },
    { name: 'join', after: ['sim_1', 'sim_2', 'sim_3'] },
    { name: 'other' },
  ];
  const failedSweep = async () => {
    const world = await makeWorld(SWEEP);
    const worker = await world.remoteWorker();
    await worker.runReady();
    await worker.runReady({ sim_1: 1, sim_2: 2 });
    expect(await statuses(world)).toEqual([
      'completed',
      'failed',
      'failed',
      'completed',
      'canceled',
      'completed',
    ]);
    return { world, worker };
  };
  const runAll = async (worker: WorkerHand): Promise<string[][]> => {
    const rounds: string[][] = [];
    for (let ran = await worker.runReady(); ran.length > 0; ran = await worker.runReady())
      rounds.push(ran.sort());
    return rounds;
  };

  describe('a retry of selected jobs', () => {
    test('takes everything that failed, in the same run, and what was canceled because of it', async () => {
      const { world, worker } = await failedSweep();
      const result = await retry(world, { statuses: ['failed', 'terminated'], reason: 'disk is back' });
      expect(result).toMatchObject({ dry_run: false, mode: 'retry', run_id: 1, revived: [5] });
      expect(result.jobs).toEqual([
        { id: 2, name: 'sim_1', status: 'failed', attempt_id: 2 },
        { id: 3, name: 'sim_2', status: 'failed', attempt_id: 2 },
      ]);
      const reported = (await world.events()).filter(({ type }) => type === 'manual_retry');
      expect(reported.map(({ job_name, actor, reason }) => [job_name, actor, reason])).toEqual([
        ['sim_1', 'ann', 'retried by ann: disk is back'],
        ['sim_2', 'ann', 'retried by ann: disk is back'],
      ]);
      expect(await runAll(worker)).toEqual([['sim_1', 'sim_2'], ['join']]);
      expect(await world.engine.status(world.workflowId)).toMatchObject({ complete: true, exit_code: 0 });
    });

    test.each<[string, Omit<RetryJobsRequest, 'actor'>, string[]]>([
      ['a pattern means what has failed of it', { patterns: ['sim_*'] }, ['sim_1', 'sim_2']],
      ['a pattern and a name add up', { patterns: ['*_1'], jobs: ['sim_2'] }, ['sim_1', 'sim_2']],
      [
        'a job that is chosen twice is retried once',
        { patterns: ['sim_1', 's*'], jobs: [2] },
        ['sim_1', 'sim_2'],
      ],
      [
        'a filter keeps some of the named ones',
        { jobs: ['sim_1', 'sim_3'], statuses: ['failed'] },
        ['sim_1'],
      ],
      [
        'a filter keeps some of what is downstream',
        { from: ['prep'], statuses: ['failed'] },
        ['sim_1', 'sim_2'],
      ],
      ['max_retries leaves out what a pattern matches', { patterns: ['sim_*'], max_retries: 1 }, []],
      ['what cannot be retried is no match of a pattern', { patterns: ['prep'] }, []],
      ['an empty list names nothing', { jobs: [] }, []],
    ])('%s', async (_, request, expected) => {
      const { world } = await failedSweep();
      const before = await look(world);
      const tried = await retry(world, { ...request, dry_run: true });
      expect(names(tried)).toEqual(expected);
      expect(tried.mode).toBe(expected.length === 0 ? 'nothing' : 'retry');
      expect(await look(world)).toEqual(before);
      expect(await retry(world, request)).toEqual({ ...tried, dry_run: false });
    });

    test('finds failures that look alike', async () => {
      const { world } = await failedSweep();
      const groups = await world.engine.listFailures(world.workflowId);
      const group = groups.find(({ jobs }) => jobs[0]!.name === 'sim_2')!;
      expect(names(await retry(world, { fingerprint: group.fingerprint }))).toEqual(['sim_2']);
      await expect(retry(world, { fingerprint: 'feedfeed' })).rejects.toMatchObject({
        code: 'NO_SUCH_FAILURE',
      });
    });

    test.each<[string, Omit<RetryJobsRequest, 'actor'>, string, RegExp]>([
      [
        'a name that no job has',
        { jobs: ['sim_2', 'sin_1'] },
        'JOB_NOT_FOUND',
        /has no job sin_1; did you mean "sim_1"/,
      ],
      ['a number that no job has', { jobs: [77] }, 'JOB_NOT_FOUND', /has no job 77$/],
      [
        'a pattern that no job matches',
        { patterns: ['sim_1', 'smi_*'] },
        'NO_MATCH',
        /matches smi_\*; did you mean "sim_1", "sim_2" or "sim_3"\?/,
      ],
      ['a job that has completed', { jobs: ['sim_1', 'prep'] }, 'NOT_RETRYABLE', /^job prep is completed/],
      ['a job without budget', { jobs: ['sim_1'], max_retries: 1 }, 'RETRIES_EXCEEDED', /attempt 1/],
      [
        'every reason at once',
        { jobs: ['prep', 'join', 'nobody'] },
        'SELECTION_REFUSED',
        /no job nobody.*\njob prep is completed.*\njob join is canceled/,
      ],
      ['an unknown start', { from: ['nobody'] }, 'JOB_NOT_FOUND', /nobody/],
      ['another run', { statuses: ['failed'], run_id: 7 }, 'WRONG_RUN', /run_id 7/],
      ['nothing at all', {}, 'INVALID_ARGUMENT', /names no jobs/],
      ['only without from', { jobs: ['sim_1'], only: true }, 'INVALID_ARGUMENT', /^only: belongs to from/],
      [
        'a status that is never retried',
        { statuses: ['completed'] },
        'INVALID_ARGUMENT',
        /only running, failed and terminated/,
      ],
      [
        'a start below a failure',
        { from: ['join'] },
        'DEPENDENCY_FAILED',
        /^job join depends on sim_1, which is failed/,
      ],
    ])('is refused as a whole for %s', async (_, request, code, message) => {
      const { world } = await failedSweep();
      const before = await look(world);
      await expect(retry(world, request)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message) as string,
      });
      expect(await look(world)).toEqual(before);
    });

    test('names a way out that is not refused, as words of a shell', async () => {
      const world = await makeWorld([
        { name: 'a b' },
        { name: 'c', after: ['a b'] },
        { name: 'd', after: ['c'] },
      ]);
      await (await world.remoteWorker()).runReady({ 'a b': 1 });
      world.passLease();
      await expect(retry(world, { from: ['d'] })).rejects.toMatchObject({
        message: 'job d depends on c, which is canceled',
        hint: "nothing was changed; `holdfast retry 1 --from 'a b'` starts over from there",
      });
      await expect(retry(world, { jobs: ['d'] })).rejects.toMatchObject({
        hint: expect.stringContaining('`holdfast retry 1 --failed` brings back') as string,
      });
      expect((await retry(world, { from: ['a b'] })).jobs).toHaveLength(3);
    });

    test('ends running attempts only where that was asked for', async () => {
      const world = await makeWorld([{ name: 'a_1' }, { name: 'a_2' }, { name: 'a_3' }]);
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      await worker.exchange({ finished: [{ claim: claims[0]!, outcome: outcome({ exit_code: 1 }) }] });
      expect(names(await retry(world, { patterns: ['a_*'], dry_run: true }))).toEqual(['a_1']);
      expect(names(await retry(world, { patterns: ['a_*'], statuses: ['running'] }))).toEqual(['a_2', 'a_3']);
      expect((await worker.exchange({})).cancel).toEqual(claims.slice(1).map(({ token }) => token));
      // Once more orders nothing new.
      await retry(world, { jobs: ['a_2'] });
      const reported = (await world.events()).filter(({ type }) => type === 'manual_retry');
      expect(reported).toHaveLength(2);
    });

    test('leaves what waits for a decision to a decision', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b' }], { usePendingFailed: true });
      await (await world.remoteWorker()).runReady({ a: 1 });
      expect(await retry(world, { statuses: ['failed', 'pending_failed'] })).toMatchObject({
        mode: 'nothing',
      });
      await expect(retry(world, { jobs: ['a'] })).rejects.toMatchObject({ code: 'DECISION_PENDING' });
      await expect(retry(world, { statuses: ['pending_failed'] })).rejects.toThrow(/holdfast resolve/);
    });
  });

  describe('a retry from a job', () => {
    const completed = async () => {
      const world = await makeWorld(SWEEP);
      const worker = await world.remoteWorker();
      await runAll(worker);
      world.passLease();
      return world;
    };

    test('begins a new run of a complete workflow with the job and everything downstream', async () => {
      const world = await completed();
      expect(await retry(world, { from: ['sim_2'], dry_run: true })).toMatchObject({
        mode: 'new_run',
        run_id: 2,
      });
      expect((await world.engine.getWorkflow(world.workflowId)).run_id).toBe(1);
      const result = await retry(world, { from: ['sim_2'] });
      expect(result).toMatchObject({ mode: 'new_run', run_id: 2 });
      expect(result.jobs).toEqual([
        { id: 3, name: 'sim_2', status: 'completed', attempt_id: 1 },
        { id: 5, name: 'join', status: 'completed', attempt_id: 1 },
      ]);
      expect(await runAll(await world.remoteWorker())).toEqual([['sim_2'], ['join']]);
      const runs = (await world.attempts()).map(({ run_id, job_name }) => `${run_id} ${job_name}`);
      expect(runs.filter((text) => text.startsWith('2'))).toEqual(['2 sim_2', '2 join']);
      expect(runs).toHaveLength(8);
    });

    test('with only leaves alone what is downstream', async () => {
      const world = await completed();
      expect(names(await retry(world, { from: ['sim_2', 'other'], only: true }))).toEqual(['sim_2', 'other']);
      expect(await runAll(await world.remoteWorker())).toEqual([['other', 'sim_2']]);
      expect(await statuses(world)).toEqual(Array(6).fill('completed'));
    });

    test('with only brings back what was canceled because of the job', async () => {
      const { world } = await failedSweep();
      world.passLease();
      expect(await retry(world, { from: ['sim_1', 'sim_2'], only: true })).toMatchObject({ revived: [5] });
      expect(await runAll(await world.remoteWorker())).toEqual([['sim_1', 'sim_2'], ['join']]);
    });

    test('is refused while a process still drives the run that has ended', async () => {
      const { world } = await failedSweep();
      await expect(retry(world, { from: ['prep'] })).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
    });

    test('runs again in a run that is not complete, and ends what runs downstream', async () => {
      const world = await makeWorld([...SWEEP, { name: 'after', after: ['join'] }]);
      const worker = await world.remoteWorker();
      await worker.runReady();
      const sims = await worker.claim();
      await worker.exchange({ started: sims });
      const [first, ...rest] = sims;
      await worker.exchange({ finished: [{ claim: first!, outcome: outcome({ exit_code: 0 }) }] });
      const result = await retry(world, { from: ['prep'], reason: 'wrong input' });
      expect(result).toMatchObject({ mode: 'again', run_id: 1 });
      expect(names(result)).toEqual(['prep', 'sim_1', 'sim_2', 'sim_3', 'join', 'after']);
      // prep waits until the attempts that read its old output are gone.
      expect(await worker.claim()).toEqual([]);
      expect((await worker.exchange({})).cancel).toEqual(rest.map(({ token }) => token));
      await worker.exchange({
        finished: rest.map((claim) => ({ claim, outcome: outcome({ canceled: true, signal: 'SIGTERM' }) })),
      });
      expect(await runAll(worker)).toEqual([['prep'], ['sim_1', 'sim_2', 'sim_3'], ['join'], ['after']]);
      expect(await world.engine.status(world.workflowId)).toMatchObject({ complete: true, exit_code: 0 });
      expect((await world.job('sim_2')).failure_count).toBe(0);
    });

    test('of one job alone has those wait for it that have not started', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'hold' }]);
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      const [a, hold] = claims;
      await worker.exchange({ finished: [{ claim: a!, outcome: outcome({ exit_code: 0 }) }] });
      expect(await retry(world, { from: ['a'], only: true })).toMatchObject({ mode: 'again' });
      expect(await statuses(world)).toEqual(['ready', 'blocked', 'running']);
      await worker.exchange({ finished: [{ claim: hold!, outcome: outcome({ exit_code: 0 }) }] });
      expect(await runAll(worker)).toEqual([['a'], ['b']]);
    });

    test('runs again what a user has canceled, and not what is being canceled', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'hold' }]);
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      await world.engine.cancel(world.workflowId, { jobs: ['a'], actor: 'bob' });
      await expect(retry(world, { from: ['a'] })).rejects.toMatchObject({ code: 'BEING_CANCELED' });
      await worker.exchange({ finished: [{ claim: claims[0]!, outcome: outcome({ canceled: true }) }] });
      expect(await statuses(world)).toEqual(['canceled', 'canceled', 'running']);
      await retry(world, { from: ['a'] });
      expect(await statuses(world)).toEqual(['ready', 'blocked', 'running']);
    });
  });

  describe('a cancel of selected jobs', () => {
    test('takes patterns, statuses and places in the graph, and leaves alone what has ended', async () => {
      const world = await makeWorld(SWEEP);
      const worker = await world.remoteWorker();
      await worker.runReady();
      const cancel = (request: Parameters<typeof world.engine.cancel>[1]) =>
        world.engine.cancel(world.workflowId, request);
      const tried = { actor: 'ann', dry_run: true };
      expect(await cancel({ ...tried, patterns: ['*i*'] })).toMatchObject({ canceled: [2, 3, 4, 5] });
      expect(await cancel({ ...tried, statuses: ['blocked'] })).toMatchObject({ canceled: [5] });
      expect(await cancel({ ...tried, from: ['prep'] })).toMatchObject({ canceled: [2, 3, 4, 5] });
      expect(await cancel({ ...tried, from: ['sim_1'], only: true })).toMatchObject({ canceled: [2] });
      expect(await cancel({ ...tried, jobs: ['prep'] })).toMatchObject({ canceled: [] });
      expect(await cancel({ ...tried, jobs: [] })).toMatchObject({ canceled: [] });
      const refused = async (request: object) => cancel({ ...tried, ...request }).catch(({ code }) => code);
      expect(await refused({ patterns: ['zz*'] })).toBe('NO_MATCH');
      expect(await refused({ jobs: ['sim_1', 'zz'] })).toBe('JOB_NOT_FOUND');
      expect(await refused({ statuses: ['completed'] })).toBe('INVALID_ARGUMENT');
      expect(await refused({ only: true })).toBe('INVALID_ARGUMENT');
      await cancel({ actor: 'ann', patterns: ['sim_*'] });
      expect((await statuses(world)).slice(1, 5)).toEqual(Array(4).fill('canceled'));
    });
  });

  describe('a reset of selected jobs', () => {
    const reset = (world: EngineWorld, request: object) =>
      world.engine.resetStatus(world.workflowId, { actor: 'ann', ...request });

    test('starts them over with everything downstream, in a new run', async () => {
      const { world } = await failedSweep();
      world.passLease();
      expect(names(await reset(world, { patterns: ['sim_?'], dry_run: true }))).toEqual([
        'sim_1',
        'sim_2',
        'sim_3',
        'join',
      ]);
      expect(names(await reset(world, { statuses: ['failed'], dry_run: true }))).toEqual([
        'sim_1',
        'sim_2',
        'join',
      ]);
      expect(await reset(world, { jobs: ['other'], only: true })).toEqual({
        run_id: 2,
        jobs: [{ id: 6, name: 'other', status: 'completed' }],
      });
      expect(await runAll(await world.remoteWorker())).toEqual([['other']]);
    });

    test('takes along what has not ended, whose waits end with the run', async () => {
      const world = await makeWorld(SWEEP);
      const worker = await world.remoteWorker();
      await worker.runReady();
      world.passLease();
      expect(names(await reset(world, { jobs: ['other'] }))).toEqual([
        'sim_1',
        'sim_2',
        'sim_3',
        'join',
        'other',
      ]);
      expect(await runAll(await world.remoteWorker())).toEqual([
        ['other', 'sim_1', 'sim_2', 'sim_3'],
        ['join'],
      ]);
    });

    test('is refused for what cannot start, and beside failed_only', async () => {
      const { world } = await failedSweep();
      world.passLease();
      const before = await look(world);
      await expect(reset(world, { jobs: ['join'] })).rejects.toMatchObject({ code: 'DEPENDENCY_FAILED' });
      await expect(reset(world, { jobs: ['a'], failed_only: true })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
      await expect(reset(world, { only: true })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(await look(world)).toEqual(before);
    });
  });
}

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptyPart, type FlowPart } from '../../src/core/flow/flow-part.ts';
import { toCanceled } from '../../src/core/flow/job-moves.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { crashedPost, DEFAULT_POST_CODES } from '../../src/core/job/post-result.ts';
import { decide } from '../../src/core/policy/decide.ts';
import { NO_HISTORY, PLAIN_END } from '../../src/core/policy/decision.ts';
import { DEFAULT_RETRY } from '../../src/core/policy/retry-policy.ts';
import { createWorkflow } from '../../src/engine/submit/create-workflow.ts';
import {
  finishAttempt,
  insertAttempt,
  listAttempts,
  loadHistory,
} from '../../src/store/rows/attempts/attempt-rows.ts';
import { findLiveAttempt } from '../../src/store/rows/attempts/live-attempt-rows.ts';
import { appendEvent, appendEvents, listEvents } from '../../src/store/rows/events/event-rows.ts';
import { moveJobs, writeSets } from '../../src/store/rows/flow/flow-move-rows.ts';
import { loadJobs } from '../../src/store/rows/flow/flow-part-rows.ts';
import { countSuccesses } from '../../src/store/rows/jobs/dependency-rows.ts';
import { listJobs } from '../../src/store/rows/jobs/job-list-rows.ts';
import { findJob, listClaimable, nextDueTime } from '../../src/store/rows/jobs/job-rows.ts';
import { toGivenUp, toPending, toRunning, wakeDueJobs } from '../../src/store/rows/jobs/job-transitions.ts';
import { decodeServes, decodeState } from '../../src/store/rows/jobs/state-columns.ts';
import {
  insertWorker,
  replaceProcess,
  retire,
  startDraining,
} from '../../src/store/rows/workers/worker-rows.ts';
import { endPause, setPaused } from '../../src/store/rows/workflows/pause-rows.ts';
import {
  findRun,
  finishRun,
  setDriver,
  setRunOpen,
  startRun,
} from '../../src/store/rows/workflows/run-rows.ts';
import {
  findWorkflow,
  listRequirements,
  listWorkflows,
} from '../../src/store/rows/workflows/workflow-rows.ts';
import { all, change, first, type Script } from '../../src/store/script.ts';
import type { Store } from '../../src/store/store.ts';
import { anyServedCall, anyState } from '../core/full-states.ts';
import { simpleModel } from '../engine/simple-model.ts';

/** A database that can be opened several times, as several processes would. */
export interface ConformanceDatabase {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

const NOW = 1_700_000_000_000;
const IDENTITY = {
  host: 'h',
  boot_id: 'b',
  pid: 1,
  start_time: '1',
  site: 'local',
  labels: ['gpu'],
  kind: 'run' as const,
  cpus: 1.5,
  memory_bytes: 2 ** 40,
  gpus: 0,
};

/** What every database must do, in the same words for all of them. */
export function storeConformance(name: string, create: () => Promise<ConformanceDatabase>): void {
  describe(`${name} conforms`, () => {
    let database: ConformanceDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await create();
      store = await database.open();
    });
    afterEach(async () => {
      await store.close();
      await database.remove();
    });

    const makeWorkflow = (jobs = [{ name: 'a' }, { name: 'b', after: ['a'] }]) =>
      store.write(() =>
        createWorkflow({ model: simpleModel(jobs), cwd: '/', output_dir: 'output', actor: 'me' }, NOW),
      );

    /** A running attempt of job `a`. */
    function* startA(workflowId: number): Script<{ jobId: number; token: number; workerId: number }> {
      const workerId = yield* insertWorker(IDENTITY, NOW, 1000, null, 'hash');
      const job = (yield* findJob(workflowId, 'a'))!;
      yield* toPending([job.id]);
      const attempt = {
        workflow_id: workflowId,
        job_id: job.id,
        run_id: 1,
        visit: 1,
        attempt_id: job.attempt_id + 1,
      };
      const token = yield* insertAttempt({ ...attempt, caller: null, worker_id: workerId, claimed_at: NOW });
      yield* toRunning([job.id]);
      return { jobId: job.id, token, workerId };
    }

    const failure = (attemptId: number) => ({
      started_at: NOW,
      finished_at: NOW + 5,
      outcome: outcome({ exit_code: 1 }),
      usage: { peak_rss_bytes: 2 ** 40, cpu_seconds: 0.25 },
      output: { text: 'ünï\n"quoted"' },
      route: null,
      evaluations: [],
      fingerprint: null,
      decision: decide(
        {
          outcome: outcome({ exit_code: 1 }),
          attemptId,
          startedAt: NOW,
          finishedAt: NOW + 5,
          seed: 1,
          post: null,
          stderrMatches: [],
          ...PLAIN_END,
        },
        {
          handler: null,
          retry: { ...DEFAULT_RETRY, max_retries_failure: 1 },
          deadlineMs: null,
          usePendingFailed: false,
          memoryBytes: null,
          runtimeMs: null,
          routes: null,
          postCodes: DEFAULT_POST_CODES,
        },
        NO_HISTORY,
      ),
      actor: null,
      post: { ...crashedPost('disk full'), exit_code: 1, bad_inputs: ['ünï'] },
    });

    test('a transaction that throws leaves nothing behind', async () => {
      const id = await makeWorkflow();
      await expect(
        store.write(function* () {
          yield* change('update workflow set name = ? where id = ?', 'changed', id);
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect((await store.read(() => findWorkflow(id)))?.name).toBe('simple');
    });

    test('a broken statement fails its call and leaves the store usable', async () => {
      await expect(
        store.write(function* () {
          yield* all('select * from no_such_table');
        }),
      ).rejects.toThrow(/no_such_table/);
      expect(await store.read(() => listWorkflows(10, 10, false))).toEqual([]);
    });

    test('numbers, text and null come back as they went in', async () => {
      const row = await store.read(() =>
        first<{ big: number; real: number; text: string; none: null }>(
          'select cast(? as bigint) as big, cast(? as double precision) as real, cast(? as text) as text, cast(? as text) as none',
          Number.MAX_SAFE_INTEGER,
          0.5,
          'naïve \u{1f680} \n end',
          null,
        ),
      );
      expect({ ...row }).toEqual({
        big: Number.MAX_SAFE_INTEGER,
        real: 0.5,
        text: 'naïve \u{1f680} \n end',
        none: null,
      });
    });

    test('two connections see each other’s commits and never lose an update', async () => {
      const id = await makeWorkflow();
      const other = await database.open();
      const bump = function* (): Script<void> {
        yield* change('update workflow set job_count = job_count + 1 where id = ?', id);
      };
      await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 ? store : other).write(bump)));
      expect((await other.read(() => findWorkflow(id)))?.job_count).toBe(42);
      await other.close();
    });

    test('a workflow keeps its jobs, requirements and dependency sets', async () => {
      const id = await makeWorkflow();
      const jobs = await store.read(() =>
        listJobs(id, { after: 0, limit: 10, statuses: null, name: null, id: null }),
      );
      expect(jobs.map((job) => [job.name, job.status])).toEqual([
        ['a', 2],
        ['b', 1],
      ]);
      expect(await store.read(() => listRequirements(id))).toHaveLength(1);
    });

    test('a job name is unique within its workflow and scope', async () => {
      await expect(makeWorkflow([{ name: 'a' }, { name: 'a', after: [] }])).rejects.toThrow(/unique/i);
      expect(await store.read(() => listWorkflows(10, 10, false))).toEqual([]);
    });

    test('a transition whose expectation does not hold changes nothing', async () => {
      const id = await makeWorkflow();
      await expect(
        store.write(function* () {
          const job = (yield* findJob(id, 'b'))!;
          yield* toGivenUp(job, 'failed', 'x');
        }),
      ).rejects.toThrow(/changed 0/);
      expect((await store.read(() => findJob(id, 'b')))?.status).toBe(1);
    });

    test('a job has at most one live attempt', async () => {
      const id = await makeWorkflow();
      const { jobId, workerId } = await store.write(() => startA(id));
      const second = {
        workflow_id: id,
        job_id: jobId,
        run_id: 1,
        visit: 1,
        attempt_id: 2,
        worker_id: workerId,
      };
      await expect(
        store.write(() => insertAttempt({ ...second, caller: null, claimed_at: NOW })),
      ).rejects.toThrow(/unique/i);
    });

    test('a finished attempt and an event never change', async () => {
      const id = await makeWorkflow();
      const { token } = await store.write(() => startA(id));
      await store.write(() => finishAttempt(token, failure(1)));
      expect(await store.read(() => findLiveAttempt(token))).toBeUndefined();
      await expect(store.write(() => finishAttempt(token, failure(1)))).rejects.toThrow(/changed 0/);
      await expect(store.write(() => change('update attempt set reason = ?', 'other'))).rejects.toThrow(
        /never changes|final/,
      );
      await expect(store.write(() => change('update event set reason = ?', 'other'))).rejects.toThrow(
        /never changes|final/,
      );
    });

    test('an attempt comes back with everything that was stored', async () => {
      const id = await makeWorkflow();
      const { token, jobId } = await store.write(() => startA(id));
      await store.write(() => finishAttempt(token, failure(1)));
      const [row] = await store.read(() =>
        listAttempts(id, { after: 0, limit: 10, job_id: jobId, run_id: 1 }),
      );
      expect(row).toMatchObject({
        id: token,
        job_name: 'a',
        cause: 'exit',
        match_code: 1,
        verdict: 'retry',
        rule: 'retry',
      });
      expect(JSON.parse(row!.output!)).toEqual({ text: 'ünï\n"quoted"' });
      expect(JSON.parse(row!.post!)).toMatchObject({
        exit_code: 1,
        bad_inputs: ['ünï'],
        problem: 'disk full',
      });
      expect(JSON.parse(row!.usage!)).toEqual({ peak_rss_bytes: 2 ** 40, cpu_seconds: 0.25 });
      expect(await store.read(() => loadHistory(jobId, 1, 1))).toEqual({
        failures: 1,
        preemptions: 0,
        lossesInRow: 0,
        firstStartedAt: NOW,
        reattempts: 0,
      });
    });

    const ALL_JOBS = { after: 0, limit: 1000, statuses: null, name: null, id: null };

    async function loadPart(ids: number[]): Promise<FlowPart> {
      const part = emptyPart();
      await store.read(() => loadJobs(part, ids));
      return part;
    }

    test('tokens only rise', async () => {
      const id = await makeWorkflow();
      const { token } = await store.write(() => startA(id));
      await store.write(() => change('delete from attempt where id = ?', token));
      await store.write(() => change('update job set status = 2, attempt_id = 0 where name = ?', 'a'));
      expect((await store.write(() => startA(id))).token).toBeGreaterThan(token);
    });

    test('a set counts down with each member and refuses to go below zero', async () => {
      const id = await makeWorkflow([
        { name: 'a' },
        { name: 'c' },
        { name: 'b', after: ['a', 'c'] },
      ] as never);
      const part = await loadPart([(await store.read(() => findJob(id, 'a')))!.id]);
      const [set] = [...part.sets.values()];
      expect(set).toMatchObject({ size: 2, remaining: 2, unsuccessful: 0, disabled: 0 });
      await store.write(() => writeSets([{ ...set!, remaining: 1, unsuccessful: 1 }]));
      expect(await store.write(() => countSuccesses(set!.id, 1))).toMatchObject({
        remaining: 0,
        unsuccessful: 1,
      });
      await expect(store.write(() => countSuccesses(set!.id, 1))).rejects.toThrow(/check/i);
    });

    test('many jobs move in few statements, and none of them if one has changed meanwhile', async () => {
      const names = Array.from({ length: 100 }, (_, index) => `j${index}`);
      const id = await makeWorkflow(names.map((name) => ({ name, after: [] })));
      const jobs = await store.read(() =>
        all<{ id: number }>('select id from job where workflow_id = ?', id),
      );
      const part = await loadPart(jobs.map((job) => job.id));
      const moves = [...part.jobs.values()].map((before) => {
        const after = { ...before };
        toCanceled(after, 'no more', null);
        return { before, after };
      });
      const [first, ...others] = moves;
      await store.write(() => moveJobs([first!]));
      await expect(store.write(() => moveJobs(moves))).rejects.toThrow(/expected to change/);
      const canceled = () => store.read(() => listJobs(id, { ...ALL_JOBS, statuses: ['canceled'] }));
      expect(await canceled()).toHaveLength(1);
      await store.write(() => moveJobs(others));
      expect((await canceled()).map(({ reason }) => reason)).toEqual(names.map(() => 'no more'));
    });

    test('every state of a job is stored and read as it was', async () => {
      const id = await makeWorkflow();
      const job = (await store.read(() => findJob(id, 'a')))!;
      await fc.assert(
        fc.asyncProperty(anyState, anyServedCall, async (state, drawn) => {
          const serves = state.status === 'uninitialized' ? null : drawn;
          const before = (await loadPart([job.id])).jobs.get(job.id)!;
          await store.write(() => moveJobs([{ before, after: { ...before, state, serves } }]));
          const row = (await store.read(() => findJob(id, 'a')))!;
          expect(decodeState(row)).toEqual(state);
          expect(decodeServes(row.serves)).toEqual(serves);
        }),
        { numRuns: 60 },
      );
    });

    test.for([
      ['a blocked job that waits for a time', `status = 1, waiting_until = 5`],
      ['a blocked job that waits for a retry', `status = 1, waiting_for = 'retry', waiting_until = 5`],
      ['a retry without a time', `status = 2, waiting_for = 'retry'`],
      ['a recovery script of no attempt', `status = 2, waiting_for = 'recovery', waiting_until = 5`],
      ['a route of no attempt', `status = 1, waiting_for = 'route'`],
      ['a token without what it is waited for', `status = 2, waiting_token = 7`],
      ['a ready job that waits for overtaken attempts', `status = 2, waiting_for = 'overtaken'`],
      ['a job that waits for nothing known', `status = 2, waiting_for = 'rain', waiting_until = 5`],
      ['a running job that waits', `status = 4, waiting_for = 'retry', waiting_until = 5`],
      ['an overtaken job without a live attempt', `status = 2, overtaken = 1`],
      ['a ready job whose attempt is to be ended', `status = 2, ending = 'cancel'`],
      ['an order that is none', `status = 4, ending = 'pause'`],
      ['a retry without its actor', `status = 4, ending = 'retry'`],
      ['a cancel with the actor of a retry', `status = 4, ending = 'cancel', ending_actor = 'ann'`],
      ['a retry because of a job', `status = 4, ending = 'retry', ending_actor = 'ann', canceled_by = 7`],
      ['a completed job that was canceled because of another', `status = 5, canceled_by = 7`],
      ['a running job that avoids a worker', `status = 4, avoid_worker_id = 7, avoid_until = 5`],
      ['a worker that is avoided for ever', `status = 2, avoid_worker_id = 7`],
      ['a site that is avoided without a worker', `status = 2, avoid_site = 'x', avoid_until = 5`],
      ['a job that serves a call before it is initialized', `status = 0, serves = '{}'`],
    ] as const)('refuses %s', async ([, assignments]) => {
      await makeWorkflow();
      const refused = store.write(() => change(`update job set ${assignments} where name = 'a'`));
      await expect(refused).rejects.toThrow(/check/i);
    });

    test('a waiting job cannot be claimed before its time and can from then on', async () => {
      const id = await makeWorkflow();
      await store.write(() =>
        change(`update job set waiting_for = 'retry', waiting_until = ? where name = ?`, NOW + 10, 'a'),
      );
      const { requirement_id } = (await store.read(() => findJob(id, 'a')))!;
      const claimable = async (now: number) => {
        await store.write(() => wakeDueJobs(id, now));
        return (await store.read(() => listClaimable(id, requirement_id, 5))).map((job) => job.name);
      };
      expect(await store.read(() => nextDueTime(id))).toBe(NOW + 10);
      expect(await claimable(NOW + 9)).toEqual([]);
      expect(await claimable(NOW + 10)).toEqual(['a']);
      expect(await store.read(() => nextDueTime(id))).toBeNull();
    });

    test('lists are paged by key', async () => {
      const id = await makeWorkflow(
        Array.from({ length: 7 }, (_, index) => ({ name: `j${index}`, after: [] })),
      );
      const page = (after: number) =>
        store.read(() => listJobs(id, { after, limit: 3, statuses: ['ready'], name: 'j', id: null }));
      const firstPage = await page(0);
      const secondPage = await page(firstPage.at(-1)!.id);
      expect([...firstPage, ...secondPage].map((job) => job.name)).toEqual([
        'j0',
        'j1',
        'j2',
        'j3',
        'j4',
        'j5',
      ]);
    });

    test('a filter is data, never SQL', async () => {
      const id = await makeWorkflow([{ name: "x'); drop table job; --" }, { name: '100%', after: [] }]);
      const find = (name: string) =>
        store.read(() => listJobs(id, { after: 0, limit: 9, statuses: null, name, id: null }));
      expect((await find("'); drop")).map((job) => job.name)).toEqual(["x'); drop table job; --"]);
      expect((await find('%')).map((job) => job.name)).toEqual(['100%']);
    });

    test('a name is found by a part of it, or by a pattern for all of it, in any case', async () => {
      const names = ['Sim_1', 'sim_2', 'a sim_3', 'simX1', '100%', 'a*'];
      const id = await makeWorkflow(names.map((name) => ({ name, after: [] })));
      const find = async (name: string) =>
        (await store.read(() => listJobs(id, { after: 0, limit: 9, statuses: null, name, id: null }))).map(
          (job) => job.name,
        );
      expect(await find('SIM_')).toEqual(['Sim_1', 'sim_2', 'a sim_3']);
      expect(await find('SIM_*')).toEqual(['Sim_1', 'sim_2']);
      expect(await find('*sim_?')).toEqual(['Sim_1', 'sim_2', 'a sim_3']);
      expect(await find('10?%')).toEqual(['100%']);
      expect(await find('a\\*')).toEqual(['a*']);
      expect(await find('?')).toEqual([]);
      // However many stars there are, it is soon known that nothing matches.
      expect(await find(`${'*1'.repeat(300)}*x`)).toEqual([]);
    });

    test('a run moves only as its list of transitions says, from the state that was read', async () => {
      const id = await makeWorkflow();
      const created = await store.read(() => findRun(id, 1));
      expect(created.state).toBe('created');
      expect(await store.write(() => startRun(id, 1, NOW))).toBe(true);
      expect(await store.write(() => startRun(id, 1, NOW))).toBe(false);
      // The row has moved since it was read.
      await expect(store.write(() => finishRun(id, created, 'canceled', NOW))).rejects.toThrow(
        'expected to change 1 rows, changed 0',
      );
      const running = await store.read(() => findRun(id, 1));
      await expect(store.write(() => setRunOpen(id, running))).rejects.toThrow(
        'no run moves from running to running',
      );
      await store.write(() => finishRun(id, running, 'canceled', NOW));
      const canceled = await store.read(() => findRun(id, 1));
      expect(canceled).toMatchObject({ state: 'canceled', finished_at: NOW });
      await expect(store.write(() => finishRun(id, canceled, 'completed', NOW))).rejects.toThrow(
        'no run moves from canceled to completed',
      );
      await expect(store.write(() => setDriver(id, canceled, 1, NOW))).rejects.toThrow(
        'no run moves from canceled to running',
      );
      await expect(store.write(() => setRunOpen(id, canceled))).rejects.toThrow(
        'no run moves from canceled to running',
      );
    });

    test('a pause moves only as its list of transitions says, from the state that was read', async () => {
      const id = await makeWorkflow();
      const words = { at: NOW, actor: 'me', reason: null };
      const unpaused = (await store.read(() => findWorkflow(id)))!;
      await expect(store.write(() => endPause(unpaused))).rejects.toThrow(
        'no pause moves from unpaused to unpaused',
      );
      await store.write(() => setPaused(unpaused, 'stopped', words));
      await expect(store.write(() => setPaused(unpaused, 'paused', words))).rejects.toThrow(
        'expected to change 1 rows, changed 0',
      );
      const stopped = (await store.read(() => findWorkflow(id)))!;
      await expect(store.write(() => setPaused(stopped, 'paused', words))).rejects.toThrow(
        'no pause moves from stopped to paused',
      );
      await store.write(() => endPause(stopped));
      expect(await store.read(() => findWorkflow(id))).toEqual(unpaused);
    });

    test('a worker moves only as its list of transitions says', async () => {
      const id = await store.write(() => insertWorker(IDENTITY, NOW, 1000, null, 'hash'));
      const missed = 'expected to change 1 rows, changed 0';
      await store.write(() => startDraining(id));
      await expect(store.write(() => startDraining(id))).rejects.toThrow(missed);
      await store.write(() => replaceProcess(id, IDENTITY, NOW, 1000));
      await store.write(() => startDraining(id));
      expect(await store.write(() => retire(id, NOW))).toBe(true);
      expect(await store.write(() => retire(id, NOW))).toBe(false);
      await expect(store.write(() => startDraining(id))).rejects.toThrow(missed);
      await expect(store.write(() => replaceProcess(id, IDENTITY, NOW, 1000))).rejects.toThrow(missed);
    });

    test('events come in the order in which they were written', async () => {
      const id = await makeWorkflow();
      await store.write(function* () {
        for (let n = 0; n < 3; n += 1) {
          yield* appendEvent({ workflow_id: id, run_id: 1, at: NOW - n, type: 'run_started', data: { n } });
        }
      });
      const events = await store.read(() => listEvents(id, { after: 0, limit: 10, job_id: null }));
      expect(events.map((event) => JSON.parse(event.data).n)).toEqual([undefined, 0, 1, 2]);
    });

    test('events that are written together keep their order, and what they have in common and what not', async () => {
      const id = await makeWorkflow();
      const types = ['retry', 'retry', 'goto', 'retry'] as const;
      const written = types.map((type, n) => {
        return {
          workflow_id: id,
          run_id: 1,
          at: NOW,
          type,
          attempt_id: n + 1,
          reason: `why ${type}`,
          data: { n },
        };
      });
      await store.write(() => appendEvents(written));
      const [, ...events] = await store.read(() => listEvents(id, { after: 0, limit: 10, job_id: null }));
      expect(events).toMatchObject(
        written.map(({ data, ...event }) => ({ ...event, data: JSON.stringify(data) })),
      );
    });

    test('opening again keeps everything; a schema of the future is refused', async () => {
      const id = await makeWorkflow();
      const again = await database.open();
      expect((await again.read(() => findWorkflow(id)))?.name).toBe('simple');
      await again.close();
      await store.write(() => change('update schema_version set version = version + 99'));
      await expect(database.open()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
      await store.write(() => change('update schema_version set version = version - 99'));
    });
  });
}

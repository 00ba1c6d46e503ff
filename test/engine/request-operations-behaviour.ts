import { describe, expect, test } from 'vitest';
import type { Claim } from '../../src/contract/records/exchange.ts';
import type { RequestState } from '../../src/core/request/request-states.ts';
import { LEASE_MS } from '../../src/core/worker/lease.ts';
import type { Databases } from './engine-world.ts';
import {
  ADA,
  CANCELED,
  inUnits,
  inventory,
  OK,
  PERMANENT,
  paths,
  type RequestWorld,
  range,
  requestWorld,
  type SiteWorker,
  STOPPED,
  TRANSIENT,
  unreadable,
} from './request-world.ts';

interface Stage {
  world: RequestWorld;
  worker: SiteWorker;
  /** What the worker runs: seven of ten jobs, where the request is active. */
  held: Claim[];
}

/** Brings a request of ten units into a state. */
const STAGES: Partial<Record<RequestState, (stage: Stage) => Promise<void>>> = {
  QUEUED: async () => {},
  ACTIVE: async (stage) => {
    await stage.world.tend();
    stage.held = await stage.worker.claim();
    await stage.worker.end(stage.held.splice(0, 3), OK);
  },
  STOPPING: async (stage) => {
    await STAGES.ACTIVE!(stage);
    await stage.world.engine.stopRequest('sim', ADA);
  },
  HELD: async ({ world, worker }) => {
    await world.drive(worker, inUnits([1, 2], PERMANENT));
  },
  PAUSED: async ({ world }) => {
    await world.engine.pauseRequest('sim', ADA);
  },
  COMPLETED: async ({ world, worker }) => {
    await world.drive(worker);
  },
  FAILED: async ({ world }) => {
    await world.engine.failRequest('sim', ADA);
  },
};

const LIVE: RequestState[] = ['QUEUED', 'ACTIVE', 'STOPPING', 'HELD', 'PAUSED'];
const ENDED: RequestState[] = ['COMPLETED', 'FAILED'];

/** What people do with requests, on any database. */
export function requestOperationsBehaviour(databases: Databases): void {
  const stageOf = async (state: RequestState, text = range()): Promise<Stage> => {
    const world = await requestWorld(databases);
    await world.submit(text);
    const stage: Stage = { world, worker: await world.worker(), held: [] };
    await STAGES[state]!(stage);
    expect(await world.state()).toBe(state);
    return stage;
  };

  describe('an action in a state that does not allow it', () => {
    const allowed: Record<'release' | 'fail' | 'restart' | 'stop' | 'pause' | 'resume', RequestState[]> = {
      release: ['HELD'],
      fail: LIVE,
      restart: LIVE,
      stop: ['QUEUED', 'ACTIVE'],
      pause: ['QUEUED', 'HELD'],
      resume: ['PAUSED'],
    };
    const cases = [...LIVE, ...ENDED].flatMap((state) =>
      Object.entries(allowed)
        .filter(([, states]) => !states.includes(state))
        .map(([action]) => ({ state, action: action as keyof typeof allowed })),
    );
    test.each(cases)('is refused: $action of one that is $state', async ({ state, action }) => {
      const { world } = await stageOf(state);
      const before = await world.show();
      const refused = world.engine[`${action}Request`]('sim', ADA);
      await expect(refused).rejects.toMatchObject({ code: 'REQUEST_STATE' });
      await expect(refused).rejects.toThrow(
        new RegExp(`it is ${state}, and ${action} needs .*${allowed[action][0]}`),
      );
      expect(await world.show()).toEqual(before);
    });
  });

  describe('release', () => {
    test('continues a held request with its next round, a fresh rescue count and what was done before', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const worker = await world.worker();
      expect(await world.drive(worker, inUnits([1], PERMANENT))).toBe('HELD');
      expect((await world.show()).hold).toMatchObject({ code: 'rescues_exhausted', rescue_count: 3 });
      expect(await world.engine.releaseRequest('sim', ADA)).toEqual({
        request_name: 'sim',
        status: 'QUEUED',
        previous_status: 'HELD',
        message: expect.stringContaining('released'),
      });
      expect(await world.show()).toMatchObject({ status: 'QUEUED', hold: null, delivered: '90' });
      // One unit of one is 100 %, so that the round of it alone is held at once.
      expect(await world.drive(worker, inUnits([11], PERMANENT))).toBe('HELD');
      expect(await world.show()).toMatchObject({
        delivered: '90',
        cursor: '111',
        hold: { code: 'failure_ratio', round: 2, rescue_count: 0 },
      });
      await world.engine.releaseRequest('sim', ADA);
      expect(await world.drive(worker)).toBe('COMPLETED');
      expect(await world.show()).toMatchObject({ delivered: '100', cursor: '121' });
      expect((await world.units()).filter(({ state }) => state === 'done')).toHaveLength(10);
    });

    test('changes memory, retries and threshold of the next round only', async () => {
      const { world, worker } = await stageOf('HELD');
      const before = (await world.engine.listJobs((await world.round()).workflow_id)).items[0]!;
      await world.engine.releaseRequest('sim', {
        ...ADA,
        memory_mb: 6144,
        retry_count: 2,
        error_hold_threshold: 1,
        error_max_rescue_attempts: 1,
        reason: 'more of everything',
      });
      await world.tend();
      const { workflow_id } = await world.round();
      const job = (await world.engine.listJobs(workflow_id)).items[0]!;
      expect(job.max_retries_failure).toBe(2);
      const details = await world.engine.getJob(workflow_id, job.id);
      expect(details.requirement.memory_bytes).toBe(6144 * 1024 * 1024);
      const old = await world.engine.getJob((await world.show()).rounds[0]!.workflow_id, before.id);
      expect([old.max_retries_failure, old.requirement.memory_bytes]).toEqual([0, null]);
      expect((await world.show()).settings).toMatchObject({
        error_hold_threshold: 1,
        error_max_rescue_attempts: 1,
        site_ban_min_failures: 3,
      });
      // 1 of 2 units is below the new threshold, and there is one rescue.
      expect(await world.drive(worker, inUnits([11], TRANSIENT))).toBe('HELD');
      expect((await world.show()).hold).toMatchObject({
        code: 'rescues_exhausted',
        threshold: 1,
        rescue_count: 1,
      });
      const { items } = await world.engine.listAttempts(workflow_id, { limit: 100 });
      expect(items.filter(({ run_id }) => run_id === 1)).toHaveLength(4);
      const history = (await world.engine.requestHistory('sim', { limit: 100 })).items;
      expect(history.find(({ action }) => action === 'request_released')).toMatchObject({ actor: 'ada' });
    });

    test('keeps what earlier releases changed', async () => {
      const { world, worker } = await stageOf('HELD');
      await world.engine.releaseRequest('sim', { ...ADA, memory_mb: 100, error_hold_threshold: 0.4 });
      expect(await world.drive(worker, () => PERMANENT)).toBe('HELD');
      await world.engine.releaseRequest('sim', { ...ADA, retry_count: 1 });
      await world.tend();
      const { workflow_id } = await world.round();
      const [job] = (await world.engine.listJobs(workflow_id)).items;
      expect(job!.max_retries_failure).toBe(1);
      expect((await world.engine.getJob(workflow_id, job!.id)).requirement.memory_bytes).toBe(
        100 * 1024 * 1024,
      );
      expect((await world.show()).settings.error_hold_threshold).toBe(0.4);
    });

    test('excludes items, which are in no unit again', async () => {
      const world = await requestWorld(databases);
      await world.submit(inventory({ items: paths(4) }));
      const worker = await world.worker();
      expect(await world.drive(worker, inUnits([1, 2], PERMANENT), 'reco')).toBe('HELD');
      const { message } = await world.engine.releaseRequest('reco', {
        ...ADA,
        excluded_files: ['f02', 'f02'],
      });
      expect(message).toContain('1 item excluded');
      expect(await world.pathsIn('excluded')).toEqual(['f02']);
      expect(await world.drive(worker, () => OK, 'reco')).toBe('COMPLETED');
      expect((await world.show('reco')).items).toEqual({ fresh: 0, attempted: 0, processed: 3, excluded: 1 });
      expect((await world.items()).find(({ path }) => path === 'f02')).toMatchObject({
        unit: 2,
        reason: 'excluded by ada',
      });
    });

    test('does not count items that are excluded already', async () => {
      const world = await requestWorld(databases);
      await world.submit(inventory({ items: paths(4) }));
      const worker = await world.worker();
      expect(await world.drive(worker, () => PERMANENT, 'reco')).toBe('HELD');
      await world.engine.releaseRequest('reco', { ...ADA, excluded_files: ['f02'] });
      expect(await world.drive(worker, () => PERMANENT, 'reco')).toBe('HELD');
      const release = { ...ADA, excluded_files: ['f01', 'f02'], dry_run: true };
      const { message } = await world.engine.releaseRequest('reco', release);
      expect(message).toContain('1 item excluded');
    });

    test('of an item that is processed changes nothing', async () => {
      const world = await requestWorld(databases);
      await world.submit(inventory({ items: paths(4) }));
      expect(await world.drive(await world.worker(), inUnits([1, 2], PERMANENT), 'reco')).toBe('HELD');
      const before = [await world.show('reco'), await world.items()];
      const released = world.engine.releaseRequest('reco', { ...ADA, excluded_files: ['f02', 'f03'] });
      await expect(released).rejects.toThrow(/already processed.*: f03; nothing was changed/);
      expect([await world.show('reco'), await world.items()]).toEqual(before);
    });

    test('of all that is left completes the request', async () => {
      const world = await requestWorld(databases);
      await world.submit(inventory({ items: paths(2) }));
      await world.drive(await world.worker(), () => PERMANENT, 'reco');
      await world.engine.releaseRequest('reco', { ...ADA, excluded_files: ['f01', 'f02'] });
      await world.tend();
      expect(await world.state('reco')).toBe('COMPLETED');
    });

    const bad = [
      {
        what: 'an unknown file',
        body: { excluded_files: ['f01', 'nothing'], memory_mb: 5 },
        problem: /nothing/,
      },
      {
        what: 'a site that is none of the request',
        body: { site_bans: ['moon'], retry_count: 9 },
        problem: /moon/,
      },
      { what: 'no site that is left', body: { site_bans: ['north', 'south'] }, problem: /no site/ },
    ];
    test.each(bad)('with $what changes nothing', async ({ body, problem }) => {
      const world = await requestWorld(databases);
      await world.submit(inventory({ items: paths(4), more: 'sites: [north, south]' }));
      await world.drive(await world.worker(), () => PERMANENT, 'reco');
      const before = [await world.show('reco'), await world.items(), await world.engine.listSites({})];
      const released = world.engine.releaseRequest('reco', { ...ADA, ...body });
      await expect(released).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
      await expect(released).rejects.toThrow(problem);
      expect([await world.show('reco'), await world.items(), await world.engine.listSites({})]).toEqual(
        before,
      );
    });

    test('of a range cannot exclude files', async () => {
      const { world } = await stageOf('HELD');
      const released = world.engine.releaseRequest('sim', { ...ADA, excluded_files: ['f01'] });
      await expect(released).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
      expect(await world.state()).toBe('HELD');
    });

    test('as a dry run changes nothing', async () => {
      const { world } = await stageOf('HELD');
      const before = await world.show();
      const change = await world.engine.releaseRequest('sim', { ...ADA, memory_mb: 9, dry_run: true });
      expect(change).toMatchObject({ status: 'QUEUED', message: expect.stringContaining('memory 9 MB') });
      expect(await world.show()).toEqual(before);
    });
  });

  describe('fail', () => {
    test.each(LIVE)('ends a request that is %s for good, with its round and its attempts', async (state) => {
      const { world, worker } = await stageOf(state);
      const { rounds } = await world.show();
      expect(await world.engine.failRequest('sim', { ...ADA, reason: 'not needed' })).toMatchObject({
        status: 'FAILED',
        previous_status: state,
      });
      expect(await world.show()).toMatchObject({ status: 'FAILED', hold: null, output_state: 'invalidated' });
      if (rounds.length > 0) {
        expect((await world.round()).state).toBe('FAILED');
        const { workflow_id } = await world.round();
        const { cancel, stop } = await worker.exchange();
        if (state === 'ACTIVE') expect([cancel.length, stop.length]).toEqual([7, 0]);
        if (state === 'STOPPING') expect(cancel.length).toBe(7);
        const { items } = await world.engine.listAttempts(workflow_id, { limit: 100 });
        const live = items.filter(({ finished_at_ms }) => finished_at_ms === null);
        expect(live).toHaveLength(state === 'ACTIVE' || state === 'STOPPING' ? 7 : 0);
      }
      await expect(world.engine.releaseRequest('sim', ADA)).rejects.toMatchObject({ code: 'REQUEST_STATE' });
      await world.tend();
      expect(await worker.claim()).toEqual([]);
      expect(await world.state()).toBe('FAILED');
    });

    test('cancels attempts, whose end changes nothing any more', async () => {
      const { world, worker, held } = await stageOf('ACTIVE');
      await world.engine.failRequest('sim', ADA);
      const failed = await world.show();
      expect(failed.rounds[0]).toMatchObject({
        state: 'FAILED',
        units: { total: 10, done: 3, failed: 7, not_run: 0 },
      });
      expect(failed.delivered).toBe('30');
      expect((await worker.exchange()).cancel).toHaveLength(7);
      await worker.end(held.slice(0, 3), CANCELED);
      // Too late to be canceled.
      await worker.end(held.slice(3), OK);
      const { rounds, ...rest } = await world.show();
      expect({ ...rest, rounds: failed.rounds }).toEqual(failed);
      expect(rounds[0]).toMatchObject({
        state: 'FAILED',
        units: { total: 10, done: 3, failed: 7, not_run: 0 },
      });
      const { counts } = await world.engine.status(rounds[0]!.workflow_id);
      expect(counts).toMatchObject({ running: 0, pending: 0, ready: 0, blocked: 0 });
      await world.tend();
      expect(await world.state()).toBe('FAILED');
    });
  });

  describe('restart', () => {
    test.each(LIVE)('ends a request that is %s, and begins its next version', async (state) => {
      const { world, worker } = await stageOf(state);
      expect(await world.engine.restartRequest('sim', ADA)).toMatchObject({
        status: 'FAILED',
        previous_status: state,
        new_request: 'sim',
        new_version: 2,
      });
      expect(await world.show('sim@1')).toMatchObject({
        status: 'FAILED',
        superseded_by_request: 'sim@2',
        output_state: 'active',
      });
      expect(await world.show()).toMatchObject({
        version: 2,
        status: 'QUEUED',
        previous_version_request: 'sim@1',
        cursor: '1',
        delivered: '0',
        rounds: [],
      });
      await worker.exchange();
      expect(await world.drive(worker)).toBe('COMPLETED');
      expect(await world.show('sim@1')).toMatchObject({ status: 'FAILED', output_state: 'superseded' });
      expect(await world.show('sim@2')).toMatchObject({ delivered: '100', output_state: 'active' });
    });

    test('has all items fresh again, without what releases changed', async () => {
      const world = await requestWorld(databases);
      await world.submit(inventory({ items: paths(4) }));
      const worker = await world.worker();
      expect(await world.drive(worker, inUnits([1], unreadable('f01')), 'reco')).toBe('HELD');
      await world.engine.releaseRequest('reco', { ...ADA, error_hold_threshold: 0.9 });
      await world.engine.restartRequest('reco', ADA);
      expect((await world.show('reco')).items).toEqual({ fresh: 4, attempted: 0, processed: 0, excluded: 0 });
      expect((await world.show('reco')).settings.error_hold_threshold).toBe(0.2);
      expect((await world.show('reco@1')).items).toMatchObject({ processed: 3, excluded: 1 });
      expect(await world.drive(worker, () => OK, 'reco')).toBe('COMPLETED');
      expect((await world.show('reco')).delivered).toBe('4');
    });

    test('immediate_cleanup invalidates the outputs of the old version when the new one is complete', async () => {
      const { world, worker } = await stageOf('HELD', range({ more: 'cleanup_policy: immediate_cleanup' }));
      await world.engine.restartRequest('sim', ADA);
      expect((await world.show('sim@1')).output_state).toBe('active');
      await world.drive(worker);
      expect((await world.show('sim@1')).output_state).toBe('invalidated');
    });

    test('of a restart supersedes all versions before', async () => {
      const { world, worker } = await stageOf('HELD');
      await world.engine.restartRequest('sim', ADA);
      await world.drive(worker, inUnits([1, 2], PERMANENT));
      await world.engine.restartRequest('sim', ADA);
      await world.drive(worker);
      for (const version of [1, 2]) {
        expect((await world.show(`sim@${version}`)).output_state).toBe('superseded');
      }
    });
  });

  describe('a version', () => {
    test.each([
      'sim@2',
      'sim@0',
      'sim@x',
      'sim@1.5',
      'sim@',
      'sim@99999999999999999999',
      'sim@1@1',
      '@1',
      'other',
    ])('%s that is not there is not found', async (ref) => {
      const world = await requestWorld(databases);
      await world.submit(range());
      await expect(world.show(ref)).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    });

    test('is begun only after the one before has ended', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      await expect(world.submit(range())).rejects.toMatchObject({ code: 'REQUEST_EXISTS' });
      await world.engine.failRequest('sim', ADA);
      expect(await world.submit(range())).toMatchObject({ version: 2, previous_version_request: 'sim@1' });
    });
  });

  describe('a clean stop', () => {
    test('between rounds changes nothing', async () => {
      const { world } = await stageOf('QUEUED');
      const before = await world.show();
      expect(await world.engine.stopRequest('sim', ADA)).toMatchObject({
        status: 'QUEUED',
        previous_status: 'QUEUED',
      });
      expect(await world.show()).toEqual(before);
    });

    test('between rounds pauses it where that is asked for', async () => {
      const { world } = await stageOf('QUEUED');
      expect(await world.engine.stopRequest('sim', { ...ADA, pause: true })).toMatchObject({
        status: 'PAUSED',
      });
      await world.tend();
      expect(await world.state()).toBe('PAUSED');
    });

    test('of a round keeps what is done, and the next run of the round does the rest', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const worker = await world.worker();
      await world.tend();
      const claims = await worker.claim({ slots: 6 });
      await worker.end(claims.slice(0, 4), OK);
      expect(await world.engine.stopRequest('sim', ADA)).toMatchObject({
        status: 'STOPPING',
        previous_status: 'ACTIVE',
      });
      await world.tend();
      expect(await world.state()).toBe('STOPPING');
      const shown = await worker.exchange({ capacity: null });
      expect(shown.stop).toEqual(claims.slice(4).map(({ token }) => token));
      expect(await worker.claim()).toEqual([]);
      await worker.end(claims.slice(4), STOPPED);
      // No place for it: it stays in the queue.
      world.mostActive = 0;
      await world.tend();
      expect(await world.show()).toMatchObject({ status: 'QUEUED', delivered: '40' });
      expect(await world.round()).toMatchObject({
        state: 'STOPPED',
        units: { total: 10, done: 4, failed: 0 },
        runs: [{ kind: 'first' }, { kind: 'stop', parent: 1 }],
      });
      expect(await worker.claim()).toEqual([]);
      world.mostActive = 1;
      await world.tend();
      expect([await world.state(), (await world.round()).state]).toEqual(['ACTIVE', 'SUBMITTED']);
      const again = await worker.claim();
      expect(again.map(({ job_name, attempt_id }) => [job_name, attempt_id])).toEqual(
        [5, 6, 7, 8, 9, 10].map((unit) => [`unit_0000${String(unit).padStart(2, '0')}_proc_01`, 1]),
      );
      await worker.end(again, OK);
      expect(await world.show()).toMatchObject({ status: 'COMPLETED', delivered: '100', round_count: 1 });
      const history = await world.history();
      expect(history).toEqual([
        'request_submitted',
        'request_admitted',
        'round_planned',
        'request_stopping',
        ...history.filter((action) => action === 'outputs_registered').slice(0, 1),
        'request_stopped',
        'request_admitted',
        'round_resumed',
        'outputs_registered',
        'round_close',
        'request_completed',
      ]);
    });

    test('does not count as a rescue: three stops, then a failure, and there is a rescue', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ more: 'errors: { error_max_rescue_attempts: 1 }' }));
      const worker = await world.worker();
      for (const _ of [1, 2, 3]) {
        await world.tend();
        const [claim] = await worker.claim({ slots: 1 });
        await world.engine.stopRequest('sim', ADA);
        await worker.end([claim!], STOPPED);
      }
      await world.tend();
      await worker.end(await worker.claim(), inUnits([1], PERMANENT));
      expect(await world.state()).toBe('ACTIVE');
      expect((await world.round()).runs.map(({ kind }) => kind)).toEqual([
        'first',
        'stop',
        'stop',
        'stop',
        'failure',
      ]);
      await worker.end(await worker.claim(), PERMANENT);
      expect((await world.show()).hold).toMatchObject({ code: 'rescues_exhausted', rescue_count: 1 });
    });

    test('with pause keeps it out of the queue until it is resumed', async () => {
      const { world, worker, held } = await stageOf('ACTIVE');
      await world.engine.stopRequest('sim', { ...ADA, pause: true });
      await worker.end(held, STOPPED);
      await world.tend();
      expect(await world.state()).toBe('PAUSED');
      await world.engine.resumeRequest('sim', ADA);
      expect(await world.drive(worker)).toBe('COMPLETED');
      expect(await world.show()).toMatchObject({ round_count: 1, delivered: '100' });
    });

    const lasts = [
      { what: 'success', ending: OK, state: 'COMPLETED', round: 'COMPLETED', runs: ['first'] },
      {
        what: 'failure that is rescued',
        ending: PERMANENT,
        state: 'QUEUED',
        round: 'STOPPED',
        runs: ['first', 'failure'],
      },
    ];
    test.each(lasts)('while the last job just ends with a $what', async ({ ending, state, round, runs }) => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const worker = await world.worker();
      await world.tend();
      const claims = await worker.claim();
      await worker.end(claims.slice(1), OK);
      await world.engine.stopRequest('sim', ADA);
      await worker.end(claims.slice(0, 1), ending);
      world.mostActive = 0;
      await world.tend();
      expect([await world.state(), (await world.round()).state]).toEqual([state, round]);
      expect((await world.round()).runs.map(({ kind }) => kind)).toEqual(runs);
      expect(await worker.claim()).toEqual([]);
      world.mostActive = 1;
      expect(await world.drive(worker)).toBe('COMPLETED');
      expect((await world.show()).delivered).toBe('100');
    });

    test('while a round just ends with too many failures holds the request', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const worker = await world.worker();
      await world.tend();
      const claims = await worker.claim();
      await world.engine.stopRequest('sim', { ...ADA, pause: true });
      await worker.end(claims, PERMANENT);
      expect(await world.state()).toBe('HELD');
      await world.engine.releaseRequest('sim', ADA);
      expect(await world.drive(worker)).toBe('COMPLETED');
    });

    test('while a round just ends with more rounds to come leaves the request in the queue', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ round: '{ first_units: 5, units: 5 }' }));
      const worker = await world.worker();
      await world.tend();
      const claims = await worker.claim();
      await world.engine.stopRequest('sim', { ...ADA, pause: true });
      await worker.end(claims, OK);
      expect(await world.state()).toBe('PAUSED');
      await world.engine.resumeRequest('sim', ADA);
      expect(await world.drive(worker)).toBe('COMPLETED');
    });

    test('does not wait for a worker that is dead', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const worker = await world.worker();
      await world.tend();
      await worker.claim();
      await world.engine.stopRequest('sim', ADA);
      world.clock.now += LEASE_MS + 1;
      world.mostActive = 0;
      await world.tend();
      expect(await world.state()).toBe('QUEUED');
      world.mostActive = 1;
      expect(await world.drive(await world.worker())).toBe('COMPLETED');
    });

    test('that ends with the last attempt of a dead worker is reported as done, so that others look again', async () => {
      const world = await requestWorld(databases);
      const preemption =
        'process: { command: "x {first} {last}", retry: { max_retries_failure: 0, max_retries_preemption: 0 } }';
      await world.submit(range({ units: 1 }).replace(/process: .*/, preemption));
      const worker = await world.worker();
      await world.tend();
      await worker.claim();
      await world.engine.stopRequest('sim', ADA);
      world.clock.now += LEASE_MS + 1;
      expect(await world.engine.tendRequests({ most_active: 0 })).toBe(true);
      expect(await world.state()).toBe('HELD');
    });
  });

  describe('pause', () => {
    test.each<RequestState>(['QUEUED', 'HELD'])(
      'keeps one out that is %s until it is resumed',
      async (state) => {
        const { world, worker } = await stageOf(state);
        expect(await world.engine.pauseRequest('sim', ADA)).toMatchObject({
          status: 'PAUSED',
          previous_status: state,
        });
        await world.tend();
        expect(await world.show()).toMatchObject({ status: 'PAUSED', hold: null });
        expect(await world.engine.resumeRequest('sim', ADA)).toMatchObject({ status: 'QUEUED' });
        expect(await world.drive(worker)).toBe('COMPLETED');
      },
    );
  });

  describe('admission', () => {
    test('is by priority, then by age, as far as there is room; held ones use none', async () => {
      const world = await requestWorld(databases);
      world.mostActive = 1;
      await world.submit(range({ name: 'low', units: 2, more: 'priority: 1' }));
      await world.submit(range({ name: 'first', units: 2, more: 'priority: 5' }));
      await world.submit(range({ name: 'second', units: 2, more: 'priority: 5' }));
      const states = async () => Promise.all(['low', 'first', 'second'].map((name) => world.state(name)));
      await world.tend();
      expect(await states()).toEqual(['QUEUED', 'ACTIVE', 'QUEUED']);
      const worker = await world.worker();
      await worker.end(await worker.claim(), PERMANENT);
      expect(await states()).toEqual(['QUEUED', 'HELD', 'QUEUED']);
      await world.tend();
      expect(await states()).toEqual(['QUEUED', 'HELD', 'ACTIVE']);
      // A stopping one uses its place until it is stopped.
      const claims = await worker.claim();
      await world.engine.stopRequest('second', { ...ADA, pause: true });
      await world.tend();
      expect(await states()).toEqual(['QUEUED', 'HELD', 'STOPPING']);
      await worker.end(claims, STOPPED);
      await world.tend();
      expect(await states()).toEqual(['ACTIVE', 'HELD', 'PAUSED']);
      await world.engine.resumeRequest('second', ADA);
      await world.engine.releaseRequest('first', ADA);
      await world.tend();
      expect(await states()).toEqual(['ACTIVE', 'QUEUED', 'QUEUED']);
      await worker.run();
      await world.tend();
      expect(await states()).toEqual(['COMPLETED', 'ACTIVE', 'QUEUED']);
    });
  });
}

import { describe, expect, test } from 'vitest';
import { run } from '../../src/store/script.ts';
import type { Databases } from './engine-world.ts';
import {
  ABORT,
  ADA,
  CANCELED,
  type Ending,
  inUnits,
  inventory,
  OK,
  PERMANENT,
  paths,
  range,
  requestWorld,
  TRANSIENT,
  unitOf,
  unreadable,
} from './request-world.ts';

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

/** Rounds, rescues, holds and the ledgers of requests, on any database. */
export function requestsBehaviour(databases: Databases): void {
  describe('a round whose run has ended', () => {
    const cases: {
      title: string;
      units: number;
      failing: number;
      more?: string;
      settings?: Parameters<Awaited<ReturnType<typeof requestWorld>>['submit']>[1];
      state: string;
      round: string;
      code: string | null;
      rescues: number;
    }[] = [
      {
        title: '1 of 10 units is rescued until the rescues are used up',
        units: 10,
        failing: 1,
        state: 'HELD',
        round: 'PARTIAL',
        code: 'rescues_exhausted',
        rescues: 3,
      },
      {
        title: '1 of 100 units holds it as well once the rescues are used up',
        units: 100,
        failing: 1,
        state: 'HELD',
        round: 'PARTIAL',
        code: 'rescues_exhausted',
        rescues: 3,
      },
      {
        title: 'exactly 20 % hold it without a rescue',
        units: 10,
        failing: 2,
        state: 'HELD',
        round: 'PARTIAL',
        code: 'failure_ratio',
        rescues: 0,
      },
      {
        title: '10 of 10 hold it, and never fail it',
        units: 10,
        failing: 10,
        state: 'HELD',
        round: 'FAILED',
        code: 'failure_ratio',
        rescues: 0,
      },
      {
        title: 'a threshold of its spec counts',
        units: 10,
        failing: 2,
        more: 'errors: { error_hold_threshold: 0.3, error_max_rescue_attempts: 1 }',
        state: 'HELD',
        round: 'PARTIAL',
        code: 'rescues_exhausted',
        rescues: 1,
      },
      {
        title: 'settings of the configuration count',
        units: 10,
        failing: 1,
        settings: { error_hold_threshold: 0.1 },
        state: 'HELD',
        round: 'PARTIAL',
        code: 'failure_ratio',
        rescues: 0,
      },
      {
        title: 'its spec goes before the configuration',
        units: 10,
        failing: 1,
        more: 'errors: { error_max_rescue_attempts: 2 }',
        settings: { error_max_rescue_attempts: 5 },
        state: 'HELD',
        round: 'PARTIAL',
        code: 'rescues_exhausted',
        rescues: 2,
      },
      {
        title: 'no rescue at all is a setting too',
        units: 10,
        failing: 1,
        more: 'errors: { error_max_rescue_attempts: 0 }',
        state: 'HELD',
        round: 'PARTIAL',
        code: 'rescues_exhausted',
        rescues: 0,
      },
      {
        title: 'nothing failed',
        units: 10,
        failing: 0,
        state: 'COMPLETED',
        round: 'COMPLETED',
        code: null,
        rescues: 0,
      },
    ];
    test.each(cases)(
      '$title',
      async ({ units, failing, more = '', settings, state, round, code, rescues }) => {
        const world = await requestWorld(databases);
        await world.submit(range({ units, more }), settings);
        const worker = await world.worker();
        await world.drive(worker, inUnits(upTo(failing), PERMANENT));
        const shown = await world.show();
        expect(shown.status).toBe(state);
        expect(shown.hold?.code ?? null).toBe(code);
        expect(shown.rounds).toHaveLength(1);
        expect(shown.rounds[0]).toMatchObject({
          state: round,
          units: { total: units, done: units - failing, failed: failing, not_run: 0 },
        });
        expect(shown.rounds[0]!.runs.map(({ kind }) => kind)).toEqual([
          'first',
          ...upTo(rescues).map(() => 'failure'),
        ]);
        expect(shown.rounds[0]!.runs.map(({ parent }) => parent)).toEqual([null, ...upTo(rescues)]);
        expect(shown.delivered).toBe(String((units - failing) * 10));
        if (shown.hold === null) return;
        expect(shown.hold).toMatchObject({
          round: 1,
          failed_units: failing,
          total_units: units,
          failure_ratio: failing / units,
          rescue_count: rescues,
        });
        expect(shown.next).toEqual(['errors', 'release', 'restart', 'fail']);
      },
    );

    test('is looked at only when nothing of it is open', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const worker = await world.worker();
      await world.tend();
      expect((await world.round()).state).toBe('SUBMITTED');
      const claims = await worker.claim();
      expect((await world.round()).state).toBe('RUNNING');
      await worker.end(claims.slice(0, 9), PERMANENT);
      await world.tend();
      expect(await world.show()).toMatchObject({ status: 'ACTIVE', hold: null, delivered: '0' });
      expect(await world.round()).toMatchObject({
        state: 'RUNNING',
        units: { total: 10, done: 0, failed: 9 },
      });
      await worker.end(claims.slice(9), OK);
      expect(await world.show()).toMatchObject({ status: 'HELD', delivered: '10' });
    });

    test('is SUBMITTED again for its rescue, in which only what was not done runs', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const worker = await world.worker();
      await world.tend();
      await worker.end(await worker.claim(), inUnits([4], PERMANENT));
      expect(await world.show()).toMatchObject({ status: 'ACTIVE', delivered: '90' });
      expect((await world.round()).state).toBe('SUBMITTED');
      const again = await worker.claim();
      expect(again.map(({ job_name }) => job_name)).toEqual(['unit_000004_proc_01']);
      expect((await world.round()).state).toBe('RUNNING');
      await worker.end(again, OK);
      expect(await world.show()).toMatchObject({ status: 'COMPLETED', delivered: '100' });
      const { items } = await world.engine.listAttempts((await world.round()).workflow_id, { limit: 100 });
      expect(items).toHaveLength(11);
    });

    test('counts a failure of a rescue against all of its units, not against the units that ran', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const worker = await world.worker();
      await world.tend();
      for (const failures of [[1], [1], [1]])
        await worker.end(await worker.claim(), inUnits(failures, PERMANENT));
      expect(await world.round()).toMatchObject({ decision: { kind: 'rescue', failure_ratio: 0.1 } });
      expect(await world.state()).toBe('ACTIVE');
    });

    test('is read by how jobs ended at last: a retry that succeeded is no failure', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 2 }).replace('retry: 0', 'retry: 1'));
      const worker = await world.worker();
      expect(await world.drive(worker, ({ attempt_id }) => (attempt_id === 1 ? TRANSIENT : OK))).toBe(
        'COMPLETED',
      );
      expect(await world.round()).toMatchObject({
        decision: { failure_ratio: 0 },
        runs: [{ kind: 'first' }],
      });
    });

    test('has a failed unit if one of its jobs failed, whose merge did not run; a failed cleanup fails nothing', async () => {
      const world = await requestWorld(databases);
      const parts =
        'jobs_per_unit: 2\nmerge: { command: "merge", retry: 0 }\ncleanup: { command: "clean", retry: 0 }';
      await world.submit(range({ units: 2, perUnit: 10, total: 40, more: parts }));
      const worker = await world.worker();
      const bad = ['unit_000001_proc_02', 'unit_000002_cleanup'];
      expect(await world.drive(worker, ({ job_name }) => (bad.includes(job_name) ? PERMANENT : OK))).toBe(
        'HELD',
      );
      expect((await world.units()).map(({ state }) => state)).toEqual(['failed', 'done']);
      const { workflow_id } = await world.round();
      const { items } = await world.engine.listJobs(workflow_id, { limit: 100 });
      expect(Object.fromEntries(items.map(({ name, status }) => [name, status]))).toEqual({
        unit_000001_proc_01: 'completed',
        unit_000001_proc_02: 'failed',
        unit_000001_merge: 'canceled',
        unit_000001_cleanup: 'canceled',
        unit_000002_proc_01: 'completed',
        unit_000002_proc_02: 'completed',
        unit_000002_merge: 'completed',
        unit_000002_cleanup: 'failed',
      });
    });

    test('is closed when rescues are used up and when_exhausted is advance', async () => {
      const world = await requestWorld(databases);
      const more = 'errors: { when_exhausted: advance, error_max_rescue_attempts: 1 }';
      await world.submit(range({ more }));
      const worker = await world.worker();
      expect(await world.drive(worker, inUnits([3], PERMANENT))).toBe('COMPLETED');
      const { rounds, delivered, cursor } = await world.show();
      expect(rounds.map(({ state }) => state)).toEqual(['PARTIAL', 'COMPLETED']);
      expect(rounds[1]!.units.total).toBe(1);
      expect([delivered, cursor]).toEqual(['100', '111']);
    });

    test('is held all the same by its threshold when when_exhausted is advance', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ more: 'errors: { when_exhausted: advance }' }));
      expect(await world.drive(await world.worker(), inUnits([3, 4], PERMANENT))).toBe('HELD');
    });

    test('is stopped as a whole by a job that aborts; units that did not run are no failures', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const worker = await world.worker();
      await world.tend();
      const claims = await worker.claim();
      await worker.end(claims.slice(0, 2), OK);
      await worker.end([claims[2]!], ABORT);
      const { cancel } = await worker.exchange();
      expect(cancel).toEqual(claims.slice(3).map(({ token }) => token));
      await worker.end(claims.slice(3), CANCELED);
      expect(await world.round()).toMatchObject({
        state: 'SUBMITTED',
        decision: { kind: 'rescue', failure_ratio: 0.1 },
        runs: [{ kind: 'first' }, { kind: 'failure' }],
      });
      expect(await world.drive(worker)).toBe('COMPLETED');
      expect((await world.show()).delivered).toBe('100');
    });

    test('is one of many, one at a time', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ total: 100, round: '{ first_units: 2, units: 4 }' }));
      expect(await world.drive(await world.worker())).toBe('COMPLETED');
      const { rounds } = await world.show();
      expect(rounds.map(({ units }) => units.total)).toEqual([2, 4, 4]);
      expect(rounds.map(({ state }) => state)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    });

    test('is sized by the time that units took before', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ total: 1000, round: '{ first_units: 5, hours: 2 }' }));
      const worker = await world.worker();
      await world.tend();
      const claims = await worker.claim();
      // 5 units take 30 minutes: 20 units take 2 hours.
      world.clock.now += 30 * 60_000;
      await worker.end(claims, OK);
      await world.tend();
      expect((await world.round()).units.total).toBe(20);
    });
  });

  describe('planning that is not possible', () => {
    test('holds the request, which can be released', async () => {
      const world = await requestWorld(databases);
      await world.submit(range());
      const store = await world.database.openStore();
      await store.write(() =>
        run(`update request set model = replace(model, 'simulate', 'simulate {items}') where name = 'sim'`),
      );
      await store.close();
      await world.tend();
      expect(await world.show()).toMatchObject({
        status: 'HELD',
        hold: { code: 'planning' },
        round_count: 0,
      });
      expect(await world.engine.releaseRequest('sim', ADA)).toMatchObject({ status: 'QUEUED' });
    });
  });

  describe('the ledger of a range', () => {
    test('passes over the numbers of failed units for good', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 10, perUnit: 1000 }));
      const worker = await world.worker();
      expect(await world.drive(worker, inUnits([2, 7], PERMANENT))).toBe('HELD');
      expect(await world.show()).toMatchObject({ cursor: '10001', delivered: '8000' });
      await world.engine.releaseRequest('sim', ADA);
      await world.tend();
      const units = await world.units('sim', { round: 2 });
      expect(units.map(({ first, last }) => [first, last])).toEqual([
        ['10001', '11000'],
        ['11001', '12000'],
      ]);
      expect(await world.show()).toMatchObject({ cursor: '12001', delivered: '8000', status: 'ACTIVE' });
      expect(await world.drive(worker)).toBe('COMPLETED');
      expect(await world.show()).toMatchObject({ cursor: '12001', delivered: '10000' });
    });

    test('is exact beyond what a JavaScript number is', async () => {
      const world = await requestWorld(databases);
      const first = 2n ** 53n - 1_000_000n;
      const facts = { first: String(first), total: String(10n ** 12n), perUnit: 1_000_000_000 };
      await world.submit(range({ ...facts, round: '{ first_units: 3, units: 3 }' }));
      const worker = await world.worker();
      await world.tend();
      await worker.run();
      await world.tend();
      const size = 1_000_000_000n;
      const expected = upTo(6).map((number) => {
        const start = first + BigInt(number - 1) * size;
        return [String(start), String(start + size - 1n)];
      });
      expect((await world.units()).map((unit) => [unit.first, unit.last])).toEqual(expected);
      expect(await world.show()).toMatchObject({
        cursor: String(first + 6n * size),
        delivered: String(3n * size),
        total: String(10n ** 12n),
      });
    });

    test('ends with a smaller unit where the numbers do not divide', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ total: 25, round: '{ first_units: 10, units: 10 }' }));
      expect(await world.drive(await world.worker())).toBe('COMPLETED');
      expect((await world.units()).map(({ first, last, size }) => [first, last, size])).toEqual([
        ['1', '10', 10],
        ['11', '20', 10],
        ['21', '25', 5],
      ]);
    });
  });

  describe('the ledger of an inventory', () => {
    test('excludes the item that was named, and tries its neighbours again', async () => {
      const world = await requestWorld(databases);
      const files = paths(10);
      await world.submit(inventory({ items: files, perJob: 2, jobsPerUnit: 1 }));
      const worker = await world.worker();
      const play = (claim: Parameters<typeof unitOf>[0]): Ending =>
        unitOf(claim) === 2 ? unreadable('f03') : OK;
      expect(await world.drive(worker, play, 'reco')).toBe('HELD');
      expect(await world.pathsIn('excluded')).toEqual(['f03']);
      expect(await world.pathsIn('attempted')).toEqual(['f04']);
      expect(await world.pathsIn('processed')).toEqual(
        files.filter((path) => !['f03', 'f04'].includes(path)),
      );
      await world.engine.releaseRequest('reco', ADA);
      expect(await world.drive(worker, () => OK, 'reco')).toBe('COMPLETED');
      expect(await world.show('reco')).toMatchObject({
        items: { fresh: 0, attempted: 0, processed: 9, excluded: 1 },
        delivered: '9',
        total: '10',
      });
      expect((await world.items()).find(({ path }) => path === 'f03')).toMatchObject({ unit: 2 });
      expect((await world.items()).find(({ path }) => path === 'f04')).toMatchObject({ unit: 6 });
    });

    test('believes a job only about items of its own unit', async () => {
      const world = await requestWorld(databases);
      await world.submit(inventory({ items: paths(4), perJob: 1 }));
      await world.drive(await world.worker(), inUnits([1], unreadable('f01', 'f02', 'unknown')), 'reco');
      expect(await world.pathsIn('excluded')).toEqual(['f01']);
      expect(await world.pathsIn('processed')).toEqual(['f02', 'f03', 'f04']);
    });

    test('plans attempted items after all fresh ones', async () => {
      const world = await requestWorld(databases);
      const round = '{ first_units: 2, units: 2 }';
      await world.submit(inventory({ items: paths(5), round }));
      const worker = await world.worker();
      expect(await world.drive(worker, inUnits([1, 2], PERMANENT), 'reco')).toBe('HELD');
      expect(await world.pathsIn('attempted')).toEqual(['f01', 'f02']);
      await world.engine.releaseRequest('reco', ADA);
      expect(await world.drive(worker, () => OK, 'reco')).toBe('COMPLETED');
      const order = (await world.items()).map(({ path, unit }) => [unit, path]);
      expect(order).toEqual([
        [6, 'f01'],
        [7, 'f02'],
        [3, 'f03'],
        [4, 'f04'],
        [5, 'f05'],
      ]);
    });

    test('keeps items of units that did not run fresh', async () => {
      const world = await requestWorld(databases);
      const more = 'errors: { error_max_rescue_attempts: 0, error_hold_threshold: 0.9 }';
      await world.submit(inventory({ items: paths(3), more }));
      const worker = await world.worker();
      await world.tend();
      const claims = await worker.claim();
      await worker.end([claims[0]!], ABORT);
      await worker.end(claims.slice(1), CANCELED);
      expect(await world.show('reco')).toMatchObject({
        status: 'HELD',
        hold: { code: 'rescues_exhausted' },
        items: { fresh: 2, attempted: 1, processed: 0, excluded: 0 },
      });
    });

    test('puts items of one group into the same units, and what is left over of small ones together', async () => {
      const world = await requestWorld(databases);
      const files = ['run_1/a', 'run_2/a', 'run_1/b', 'run_2/b', 'run_3/a', 'run_1/c', 'run_4/a'];
      await world.submit(inventory({ items: files, jobsPerUnit: 2, groupBy: 'run_(\\d+)' }));
      await world.tend();
      const units = new Map<number, string[]>();
      for (const { unit, path } of await world.items()) units.set(unit!, [...(units.get(unit!) ?? []), path]);
      expect(units).toEqual(
        new Map([
          [1, ['run_1/a', 'run_1/b']],
          [2, ['run_2/a', 'run_2/b']],
          [3, ['run_3/a', 'run_1/c']],
          [4, ['run_4/a']],
        ]),
      );
    });

    test('is complete when all items are processed or excluded, though the last unit failed', async () => {
      const world = await requestWorld(databases);
      const more =
        'errors: { when_exhausted: advance, error_max_rescue_attempts: 0, error_hold_threshold: 1 }';
      await world.submit(inventory({ items: paths(2), more }));
      const worker = await world.worker();
      expect(await world.drive(worker, inUnits([2], unreadable('f02')), 'reco')).toBe('COMPLETED');
      expect(await world.show('reco')).toMatchObject({
        items: { processed: 1, excluded: 1 },
        round_count: 1,
      });
    });
  });
}

import { describe, expect, test } from 'vitest';
import type { Databases } from './engine-world.ts';
import { FakeDagman, type NodeEnds } from './fake-dagman.ts';
import { ADA, inUnits, PERMANENT, range, requestWorld } from './request-world.ts';

const FAILED: NodeEnds = { actions: ['permanent_failure'] };
const OK: NodeEnds = { actions: ['success'] };
const DAG = 'executor: htcondor\n';

async function dagWorld(databases: Databases) {
  const world = await requestWorld(databases);
  const dagman = new FakeDagman(() => world.clock.now);
  const driver = dagman.driver();
  /** Passes of the engine until it only waits. */
  const tend = async (passes = 6) => {
    for (let pass = 0; pass < passes; pass += 1) {
      await world.tend();
      await world.engine.tendRuns(driver);
    }
    await world.tend();
  };
  return { world, dagman, driver, tend };
}

export function dagRunsBehaviour(databases: Databases): void {
  describe('rounds that DAGMan runs', () => {
    test('give the ledger and the decisions of workers: retry, failure, rescue, next round', async () => {
      const { world, dagman, tend } = await dagWorld(databases);
      const text = range({ units: 6, total: 80 });
      await world.submit(`${text}${DAG}`);
      dagman.play = ({ unit, run }) =>
        unit === 3 && run === 1 ? FAILED : unit === 2 ? { actions: ['retry', 'success'] } : OK;
      for (const how of ['failures', 'done', 'done'] as const) {
        await tend();
        dagman.end(how);
      }
      await tend();
      const onDagman = await world.show();

      const other = await requestWorld(databases);
      await other.submit(text);
      let failures = 0;
      await other.drive(await other.worker(), (claim) =>
        inUnits([3], PERMANENT)(claim) === PERMANENT && ++failures === 1
          ? PERMANENT
          : inUnits([], PERMANENT)(claim),
      );
      const onWorkers = await other.show();
      const ledger = ({ status, delivered, cursor, rounds }: typeof onDagman) => ({
        status,
        delivered,
        cursor,
        rounds: rounds.map(({ state, units, runs }) => ({
          state,
          units,
          kinds: runs.map(({ kind }) => kind),
        })),
      });
      expect(ledger(onDagman)).toEqual(ledger(onWorkers));
      expect(onDagman).toMatchObject({ status: 'COMPLETED', delivered: '80' });
      expect(dagman.prepared.map(({ run }) => run)).toEqual([1, 2, 1]);
      expect(dagman.prepared[1]!.directory).toBe(dagman.prepared[0]!.directory);
      expect(dagman.prepared[2]!.directory).not.toBe(dagman.prepared[0]!.directory);
      const { items } = await world.engine.listAttempts(onDagman.rounds[0]!.workflow_id, {});
      expect(items).toHaveLength(6 + 1 + 1);
    });

    test('are not for workers', async () => {
      const { world, tend } = await dagWorld(databases);
      await world.submit(`${range({ units: 2 })}${DAG}`);
      await tend();
      expect(await (await world.worker()).claim()).toEqual([]);
    });

    test('hold the request where too much failed, and failed units without a record count', async () => {
      const { world, dagman, tend } = await dagWorld(databases);
      await world.submit(`${range({ units: 4 })}${DAG}`);
      dagman.play = ({ unit }) => (unit === 2 ? FAILED : OK);
      dagman.withoutRecords.add(2).add(3);
      await tend();
      dagman.end();
      await tend();
      const { status, hold, rounds } = await world.show();
      expect({ status, code: hold?.code, units: rounds[0]!.units }).toEqual({
        status: 'HELD',
        code: 'failure_ratio',
        units: { total: 4, done: 3, failed: 1, not_run: 0 },
      });
    });

    test('are submitted once, although the answer of the submission is lost', async () => {
      for (const lost of ['absent', 'death'] as const) {
        const { world, dagman, driver, tend } = await dagWorld(databases);
        await world.submit(`${range({ units: 2 })}${DAG}`);
        await world.tend();
        dagman.losesAnswer = lost;
        await world.engine.tendRuns(driver).catch((error: Error) => {
          expect(error.message).toBe('the process died');
        });
        expect(dagman.runs).toHaveLength(1);
        await world.reopen();
        world.clock.now += 300_000;
        await world.engine.tendRuns(dagman.driver('server-2'));
        await tend();
        world.clock.now += 300_000;
        await tend();
        expect(dagman.runs).toHaveLength(1);
        dagman.end('done');
        await tend();
        expect(await world.state()).toBe('COMPLETED');
      }
    });

    test('have not ended because nobody answers', async () => {
      const { world, dagman, tend } = await dagWorld(databases);
      await world.submit(`${range({ units: 2 })}${DAG}`);
      await tend();
      dagman.end('done');
      dagman.isAbsent = true;
      for (let hour = 0; hour < 5; hour += 1) {
        world.clock.now += 3_600_000;
        await tend();
      }
      expect(await world.state()).toBe('ACTIVE');
      expect((await world.round()).runs).toHaveLength(1);
      expect((await world.history()).filter((action) => action === 'dag_problem')).toHaveLength(1);
      dagman.isAbsent = false;
      await tend();
      expect(await world.state()).toBe('COMPLETED');
      expect(dagman.runs).toHaveLength(1);
    });

    test('are tried again later where the queue refuses them, and the reason is shown', async () => {
      const { world, dagman, driver, tend } = await dagWorld(databases);
      await world.submit(`${range({ units: 2 })}${DAG}`);
      dagman.refusal = 'no such accounting group';
      await tend();
      expect(dagman.runs).toHaveLength(0);
      expect((await world.engine.tendRuns(driver)).problems).toEqual([
        'condor_submit_dag refused: no such accounting group',
      ]);
      expect(await world.history()).toContain('dag_problem');
      dagman.refusal = null;
      await tend();
      expect(dagman.runs).toHaveLength(0);
      world.clock.now += 3_600_000;
      await tend();
      expect(dagman.runs).toHaveLength(1);
    });

    test('are stopped by removal: done units stay, the others are no failures, and the next run continues', async () => {
      const { world, dagman, tend } = await dagWorld(databases);
      await world.submit(`${range({ units: 4 })}${DAG}`);
      await tend();
      dagman.play = ({ unit, run }) => (unit <= 2 || run > 1 ? OK : 'not run');
      await world.engine.stopRequest('sim', { ...ADA, pause: true });
      await tend();
      expect(await world.show()).toMatchObject({ status: 'PAUSED', delivered: '20' });
      expect(dagman.runs[0]).toMatchObject({ how: 'removed' });
      await world.engine.resumeRequest('sim', ADA);
      await tend();
      dagman.end('done');
      await tend();
      const { status, delivered, rounds } = await world.show();
      expect({ status, delivered, kinds: rounds[0]!.runs.map(({ kind }) => kind) }).toEqual({
        status: 'COMPLETED',
        delivered: '40',
        kinds: ['first', 'stop'],
      });
    });

    test('are removed when the request is failed', async () => {
      const { world, dagman, tend } = await dagWorld(databases);
      await world.submit(`${range({ units: 2 })}${DAG}`);
      await tend();
      await world.engine.failRequest('sim', ADA);
      await tend();
      expect(dagman.runs[0]).toMatchObject({ state: 'ended', how: 'removed' });
      expect(await world.state()).toBe('FAILED');
    });

    test('are submitted again where DAGMan died without a word, but not for ever', async () => {
      const { world, dagman, tend } = await dagWorld(databases);
      await world.submit(`${range({ units: 2 })}errors: { error_max_rescue_attempts: 0 }\n${DAG}`);
      dagman.play = () => 'not run';
      for (let crash = 1; crash <= 4; crash += 1) {
        await tend(1);
        await tend();
        expect(dagman.runs).toHaveLength(crash);
        dagman.end('error', null);
      }
      await tend();
      expect(dagman.runs.map(({ order }) => order.run)).toEqual([1, 1, 1, 1]);
      expect(await world.show()).toMatchObject({ status: 'HELD', hold: { code: 'rescues_exhausted' } });
    });

    test('an abort cancels the rest of the round, and what ended before is kept', async () => {
      const { world, dagman, tend } = await dagWorld(databases);
      await world.submit(`${range({ units: 10 })}${DAG}`);
      await tend();
      dagman.play = ({ unit }) => (unit === 1 ? { actions: ['abort'] } : unit < 5 ? OK : 'not run');
      dagman.end('aborted');
      await tend();
      const { rounds } = await world.show();
      expect(rounds[0]!.runs.map(({ kind }) => kind)).toEqual(['first', 'failure']);
      expect(rounds[0]!.units).toMatchObject({ done: 3 });
    });

    test('ban a site that fails, and the next submission avoids it', async () => {
      const { world, dagman, tend } = await dagWorld(databases);
      await world.submit(`${range({ units: 20 })}sites: [north, south]\n${DAG}`);
      const bad: NodeEnds = {
        actions: ['retries_exhausted'],
        site: 'south',
        category: 'infrastructure',
      };
      dagman.play = ({ unit, run }) => (unit <= 3 && run === 1 ? bad : OK);
      await tend();
      dagman.end();
      await tend();
      expect(dagman.prepared.map(({ sites }) => sites)).toEqual([
        { allowed: ['north', 'south'], banned: [] },
        { allowed: ['north', 'south'], banned: ['south'] },
      ]);
      dagman.end('done');
      await tend();
      expect(await world.state()).toBe('COMPLETED');
    });
  });
}

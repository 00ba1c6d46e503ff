import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { type ActionModel, type ActionTrigger, isAboutWorkers } from '../../src/core/model/action.ts';
import {
  type Databases,
  type EngineWorld,
  ordersOf,
  PLENTY,
  type WorkerHand,
  worldOf,
} from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

export const CHAIN = [{ name: 'a' }, { name: 'b', after: ['a'] }];

export function action(
  trigger: ActionTrigger,
  jobs: number[] = [],
  persistent = isAboutWorkers(trigger),
): ActionModel {
  return { trigger, persistent, jobs, commands: ['true'] };
}

/** What is handed out now. */
async function due(worker: WorkerHand, leaving = false): Promise<ActionTrigger[]> {
  const capacity = leaving ? null : { ...PLENTY, slots: 0 };
  return ordersOf(await worker.exchange({ capacity, leaving }), 'action').map((order) => order.trigger);
}

/** When actions run, on any database. */
export function actionBehaviour(databases: Databases): void {
  function actingWorld(...triggers: [ActionTrigger, ...number[]][]): Promise<EngineWorld> {
    const actions = triggers.map(([trigger, ...jobs]) => action(trigger, jobs));
    return worldOf(simpleModel(CHAIN, { actions, usePendingFailed: true }), databases);
  }

  describe('an action', () => {
    test('runs at its moment, and once', async () => {
      const world = await actingWorld(
        ['on_workflow_start'],
        ['on_jobs_ready', 1],
        ['on_jobs_complete', 0],
        ['on_workflow_complete'],
        ['on_workflow_failure'],
        ['on_worker_complete'],
      );
      const worker = await world.remoteWorker();
      expect(await due(worker)).toEqual(['on_workflow_start']);
      expect(await due(worker)).toEqual([]);
      await worker.runReady();
      expect(await due(worker)).toEqual(['on_jobs_ready', 'on_jobs_complete']);
      await worker.runReady();
      expect(await due(worker)).toEqual(['on_workflow_complete']);
      expect(await due(worker, true)).toEqual(['on_worker_complete']);
      expect(await due(worker, true)).toEqual([]);
    });

    test('does not run again after a restart, unless it is about workers', async () => {
      const world = await actingWorld(['on_workflow_start'], ['on_worker_start']);
      expect(await due(await world.remoteWorker())).toEqual(['on_workflow_start', 'on_worker_start']);
      world.passLease();
      expect(await due(await world.remoteWorker())).toEqual(['on_worker_start']);
      const reported = (await world.events()).filter((event) => event.type === 'action');
      expect(reported.map((event) => event.reason)).toEqual([
        'on_workflow_start: failed with lost with its worker',
        'on_worker_start: failed with lost with its worker',
      ]);
    });

    test('runs again in a new run', async () => {
      const world = await actingWorld(['on_workflow_start']);
      expect(await due(await world.remoteWorker())).toHaveLength(1);
      world.passLease();
      await world.engine.resetStatus(world.workflowId, { actor: 'ann' });
      expect(await due(await world.remoteWorker())).toHaveLength(1);
    });

    test('that fails is recorded and changes nothing else', async () => {
      const world = await actingWorld(['on_workflow_start']);
      const worker = await world.remoteWorker();
      const [order] = ordersOf(await worker.exchange({ capacity: { ...PLENTY, slots: 0 } }), 'action');
      await worker.exchange({
        errands: [{ kind: 'action', id: order!.id, outcome: outcome({ exit_code: 3 }) }],
      });
      expect((await world.events()).at(-1)).toMatchObject({
        type: 'action',
        reason: 'on_workflow_start: failed with exit 3',
      });
      await worker.runReady();
      await worker.runReady();
      expect((await world.engine.status(world.workflowId)).exit_code).toBe(0);
    });

    test('persistent, runs once for each worker; not persistent, only for the first', async () => {
      const actions = [action('on_workflow_start', [], true), action('on_worker_start', [], false)];
      const world = await worldOf(simpleModel(CHAIN, { actions }), databases);
      expect(await due(await world.remoteWorker())).toEqual(['on_workflow_start', 'on_worker_start']);
      world.passLease();
      const second = await world.remoteWorker();
      expect(await due(second)).toEqual(['on_workflow_start']);
      expect(await due(second)).toEqual([]);
    });
  });

  describe('a run that is completed while no process drives it', () => {
    const END: [ActionTrigger, ...number[]][] = [
      ['on_workflow_complete'],
      ['on_workflow_failure'],
      ['on_jobs_complete', 0],
      ['on_jobs_ready', 1],
      ['on_worker_start'],
      ['on_worker_complete'],
    ];
    const AT_THE_END = ['on_workflow_complete', 'on_workflow_failure', 'on_jobs_complete'];

    /** Waits for a decision about `a`; its worker has left. */
    async function waiting(): Promise<{ world: EngineWorld; jobId: number }> {
      const world = await actingWorld(...END);
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1 });
      expect(await due(worker, true)).toEqual(['on_worker_complete']);
      await world.engine.retireWorker(worker.id);
      return { world, jobId: (await world.job('a')).id };
    }

    test('D10 gives its actions, with status and exit code, to the next worker that comes, and once', async () => {
      const { world, jobId } = await waiting();
      const decisions = [{ job_id: jobId, action: 'fail' as const }];
      await world.engine.resolve(world.workflowId, { decisions, actor: 'ann' });
      expect(await world.engine.status(world.workflowId)).toMatchObject({ complete: true, actions_due: 3 });
      const worker = await world.remoteWorker();
      const act = ordersOf(await worker.exchange({ capacity: PLENTY }), 'action');
      expect(act.map(({ trigger }) => trigger)).toEqual(AT_THE_END);
      expect(act[0]).toMatchObject({
        status: 'failed',
        exit_code: 1,
        failed_jobs: [{ job_id: jobId, name: 'a', status: 'failed', why: 'ann decided: fail' }],
      });
      expect(await due(worker, true)).toEqual([]);
      expect((await world.engine.status(world.workflowId)).actions_due).toBe(0);
      await expect(world.remoteWorker()).rejects.toMatchObject({ code: 'WORKFLOW_COMPLETE' });
    });

    test('does so when it was canceled, too', async () => {
      const { world } = await waiting();
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      const worker = await world.remoteWorker();
      const act = ordersOf(await worker.exchange({ capacity: PLENTY }), 'action');
      expect(act.map(({ trigger }) => trigger)).toEqual(AT_THE_END);
      expect(act[0]).toMatchObject({ status: 'canceled', exit_code: 1, failed_jobs: [] });
    });
  });
}

import { describe, expect, test } from 'vitest';
import type { ActionModel, ActionTrigger } from '../../src/core/action.ts';
import { outcome } from '../../src/core/outcome.ts';
import { type EngineWorld, PLENTY, type WorkerHand, worldOf } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

function actingWorld(...triggers: [ActionTrigger, ...number[]][]): Promise<EngineWorld> {
  const actions: ActionModel[] = triggers.map(([trigger, ...jobs]) => ({
    trigger,
    jobs,
    commands: ['true'],
  }));
  const jobs = [{ name: 'a' }, { name: 'b', after: ['a'] }];
  return worldOf(simpleModel(jobs, { actions }));
}

/** What is handed out now. */
async function due(worker: WorkerHand, leaving = false): Promise<ActionTrigger[]> {
  const { act } = await worker.exchange({ capacity: leaving ? null : { ...PLENTY, slots: 0 }, leaving });
  return act.map((order) => order.trigger);
}

describe('an action', () => {
  test('happens at its moment, and once', async () => {
    const world = await actingWorld(
      ['on_workflow_start'],
      ['on_jobs_ready', 1],
      ['on_jobs_complete', 0],
      ['on_workflow_complete'],
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

  test('does not happen again after a restart, unless it is about workers', async () => {
    const world = await actingWorld(['on_workflow_start'], ['on_worker_start']);
    expect(await due(await world.remoteWorker())).toEqual(['on_workflow_start', 'on_worker_start']);
    world.passLease();
    expect(await due(await world.remoteWorker())).toEqual(['on_worker_start']);
    const told = (await world.events()).filter((event) => event.type === 'action');
    expect(told.map((event) => event.reason)).toEqual([
      'on_workflow_start: failed with lost with its worker',
      'on_worker_start: failed with lost with its worker',
    ]);
  });

  test('happens anew in a new run', async () => {
    const world = await actingWorld(['on_workflow_start']);
    expect(await due(await world.remoteWorker())).toHaveLength(1);
    world.passLease();
    await world.engine.resetStatus(world.workflowId, { actor: 'ann' });
    expect(await due(await world.remoteWorker())).toHaveLength(1);
  });

  test('that fails is told and changes nothing else', async () => {
    const world = await actingWorld(['on_workflow_start']);
    const worker = await world.remoteWorker();
    const { act } = await worker.exchange({ capacity: { ...PLENTY, slots: 0 } });
    await worker.exchange({ acted: [{ action_id: act[0]!.action_id, outcome: outcome({ exitCode: 3 }) }] });
    expect((await world.events()).at(-1)).toMatchObject({
      type: 'action',
      reason: 'on_workflow_start: failed with exit 3',
    });
    await worker.runReady();
    await worker.runReady();
    expect((await world.engine.status(world.workflowId)).exit_code).toBe(0);
  });
});

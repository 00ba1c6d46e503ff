import { describe, expect, test } from 'vitest';
import type { ActionTrigger } from '../../src/core/model/action.ts';
import { action, actionBehaviour, CHAIN } from './actions-behaviour.ts';
import { onSqlite, ordersOf, PLENTY } from './engine-world.ts';
import { hasWork } from './found-news.ts';
import { Served } from './served-world.ts';

actionBehaviour(onSqlite);

describe('workers of a server', () => {
  const ALL: ActionTrigger[] = ['on_workflow_complete', 'on_workflow_failure', 'on_worker_complete'];

  async function acts(served: Served, worker: number, leaving = false): Promise<ActionTrigger[]> {
    const result = await served.exchange(worker, { capacity: leaving ? null : PLENTY, leaving });
    return ordersOf(result, 'action').map(({ trigger }) => trigger);
  }

  test('run the actions of a workflow that was canceled before it began', async () => {
    const served = new Served();
    const watching = [
      action('on_workflow_start'),
      action('on_jobs_complete', [0]),
      action('on_workflow_complete'),
    ];
    const id = await served.submit(CHAIN, { actions: watching });
    await served.engine.cancel(id, { actor: 'ann' });
    expect(await hasWork(served.engine)).toBe(true);
    const worker = await served.worker();
    expect(await acts(served, worker)).toEqual(['on_jobs_complete', 'on_workflow_complete']);
    expect(await acts(served, worker)).toEqual([]);
    expect(await hasWork(served.engine)).toBe(false);
  });

  test('that had jobs of a run leave it when it is complete; nobody else does', async () => {
    const served = new Served();
    await served.submit([{ name: 'a' }], { actions: ALL.map((trigger) => action(trigger)) });
    const [first, second] = [await served.worker(), await served.worker()];
    const [claim] = await served.claim(first);
    expect(await acts(served, second)).toEqual([]);
    await served.end(first, claim!);
    expect(await acts(served, second)).toEqual(['on_workflow_complete']);
    expect(await hasWork(served.engine)).toBe(true);
    expect(await acts(served, first)).toEqual(['on_worker_complete']);
    expect(await hasWork(served.engine)).toBe(false);
  });

  test('that leave before the run is complete have left it, once', async () => {
    const served = new Served();
    await served.submit(CHAIN, { actions: ALL.map((trigger) => action(trigger)) });
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    await served.end(worker, claim!);
    expect(await acts(served, worker, true)).toEqual(['on_worker_complete']);
    expect(await acts(served, worker, true)).toEqual([]);
  });

  test('that die owe nothing more', async () => {
    const served = new Served();
    await served.submit([{ name: 'a' }], { actions: [action('on_worker_complete')] });
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    await served.end(worker, claim!);
    expect(await hasWork(served.engine)).toBe(true);
    await served.engine.retireWorker(worker);
    expect(await hasWork(served.engine)).toBe(false);
  });
});

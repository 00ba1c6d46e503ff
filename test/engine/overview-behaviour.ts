import { describe, expect, test } from 'vitest';
import type { SchedulerModel } from '../../src/core/allocation/scheduler.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { type Databases, worldOf } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

const SCHEDULER: SchedulerModel = {
  name: 'small',
  options: {},
  extra: [],
  nodes: 1,
  walltime_ms: null,
  cpus: 4,
  memory_bytes: null,
  gpus: null,
  serialize: false,
  worker: { idle_ms: 1000, take_until_ms: 0, end_before_ms: 0, stays: false },
};

const asking = (name: string, ...jobs: string[]): WorkflowModel => ({
  ...simpleModel(
    jobs.map((each) => ({ name: each })),
    { usePendingFailed: true },
  ),
  name,
});

/** What the first page of the server shows, on any database. */
export function overviewBehaviour(databases: Databases): void {
  describe('the overview of workflows', () => {
    test('counts jobs, and finds workflows by a part of the name and by whether they are open', async () => {
      const world = await worldOf(asking('Night_Run', 'a', 'b'), databases);
      const other = await world.another(asking('nightXrun', 'c'));
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1 });
      await (await other.remoteWorker()).runReady();

      const all = await world.engine.listSummaries();
      expect(
        all.items.map(({ workflow, complete, exit_code }) => [workflow.name, complete, exit_code]),
      ).toEqual([
        ['nightXrun', true, 0],
        ['Night_Run', false, 3],
      ]);
      expect(all.items[1]!.counts).toMatchObject({ completed: 1, pending_failed: 1 });
      expect([all.items[1]!.workers, all.items[1]!.request]).toEqual([[expect.any(Number)], null]);

      const named = async (query: object) =>
        (await world.engine.listSummaries(query)).items.map(({ workflow }) => workflow.name);
      expect(await named({ name: 'night_' })).toEqual(['Night_Run']);
      expect(await named({ name: 'NIGHT?run' })).toEqual(['nightXrun', 'Night_Run']);
      expect(await named({ name: 'run*' })).toEqual([]);
      expect(await named({ open: true })).toEqual(['Night_Run']);
      expect(await named({ name: 'NIGHT', limit: 1 })).toEqual(['nightXrun']);
      expect(await named({ archived: true })).toEqual([]);
      await world.engine.archiveWorkflow(other.workflowId, { actor: 'ada' });
      expect(await named({ archived: true })).toEqual(['nightXrun']);
    });

    test('lists a page after the other', async () => {
      const world = await worldOf(asking('one', 'a'), databases);
      for (const name of ['two', 'three']) await world.another(asking(name, 'a'));
      const first = await world.engine.listSummaries({ limit: 2 });
      const second = await world.engine.listSummaries({ limit: 2, after: first.next! });
      const names = [...first.items, ...second.items].map(({ workflow }) => workflow.name);
      expect([names, second.next]).toEqual([['three', 'two', 'one'], null]);
    });
  });

  test('events are listed with the newest first where that is asked for', async () => {
    const world = await worldOf(asking('one', 'a', 'b'), databases);
    await (await world.remoteWorker()).runReady();
    const { items } = await world.engine.listEvents(world.workflowId);
    const first = await world.engine.listEvents(world.workflowId, { sort: '-id', limit: 2 });
    const second = await world.engine.listEvents(world.workflowId, { sort: '-id', after: first.next! });
    expect([...first.items, ...second.items]).toEqual(items.toReversed());
    const { id } = await world.job('a');
    const ofJob = await world.engine.listEvents(world.workflowId, { sort: '-id', job: id });
    expect(ofJob.items.map(({ job_name }) => job_name)).toEqual(['a']);
  });

  describe('what needs attention', () => {
    test('is empty where nothing waits', async () => {
      const world = await worldOf(asking('calm', 'a'), databases);
      expect(await world.engine.listAttention()).toEqual({ items: [] });
    });

    test('has failures of all workflows in groups, the largest first, until they are decided', async () => {
      const world = await worldOf(asking('large', 'a', 'b', 'c'), databases);
      const other = await world.another(asking('small', 'd'));
      await (await world.remoteWorker()).runReady({ a: 1, b: 1, c: 2 });
      await (await other.remoteWorker()).runReady({ d: 1 });

      const { items } = await world.engine.listAttention();
      expect(
        items.map((item) => item.kind === 'failures' && [item.workflow_name, item.jobs, item.error]),
      ).toEqual([
        ['large', 2, 'exit 1'],
        ['small', 1, 'exit 1'],
        ['large', 1, 'exit 2'],
      ]);
      // The log of the attempt that failed is asked for by its numbers.
      expect(items[1]).toMatchObject({ sample: { name: 'd', run_id: 1, attempt_id: 1 } });
      // The same failure has the same fingerprint in both, which the list of failures of one workflow shows too.
      const [group] = await world.engine.listFailures(other.workflowId);
      const prints = items.flatMap((item) => (item.kind === 'failures' ? item.fingerprint : []));
      expect(prints.filter((each) => each === group!.fingerprint)).toHaveLength(2);

      const d = await other.job('d');
      await world.engine.resolve(other.workflowId, {
        decisions: [{ job_id: d.id, action: 'fail' }],
        actor: 'ada',
      });
      expect((await world.engine.listAttention()).items).toHaveLength(2);
    });

    test('failures of one workflow are counted by group, without listing their jobs', async () => {
      const world = await worldOf(asking('large', 'a', 'b', 'c'), databases);
      await (await world.remoteWorker()).runReady({ a: 1, b: 1, c: 2 });
      const a = await world.job('a');
      await world.engine.resolve(world.workflowId, {
        decisions: [{ job_id: a.id, action: 'fail' }],
        actor: 'ada',
      });
      const { groups, more } = await world.engine.summarizeFailures(world.workflowId);
      expect(
        groups.map(({ error, jobs, waiting, sample, past }) => [
          error,
          jobs,
          waiting,
          sample.name,
          past.failed,
        ]),
      ).toEqual([
        ['exit 1', 2, 1, 'b', 1],
        ['exit 2', 1, 1, 'c', 0],
      ]);
      expect(more).toBe(false);
      const listed = await world.engine.listFailures(world.workflowId);
      expect(groups.map((each) => each.fingerprint)).toEqual(listed.map((each) => each.fingerprint));
      const first = await world.engine.summarizeFailures(world.workflowId, { limit: 1 });
      expect([first.groups.length, first.more]).toEqual([1, true]);
      const waiting = await world.engine.summarizeFailures(world.workflowId, { status: ['pending_failed'] });
      expect(waiting.groups.map(({ jobs, sample }) => [jobs, sample.name]).sort()).toEqual([
        [1, 'b'],
        [1, 'c'],
      ]);
      const some = await world.engine.listFailures(world.workflowId, { limit: 1 });
      expect(some.map(({ jobs }) => jobs.map(({ name }) => name))).toEqual([['a'], ['c']]);
    });

    test('has workers that are silent, and those that are lost as long as they hold jobs', async () => {
      const world = await worldOf(simpleModel([{ name: 'a' }]), databases);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await worker.exchange({ started: [claim!] });
      expect((await world.engine.listAttention()).items).toEqual([]);
      world.passLease();
      expect((await world.engine.listAttention()).items).toMatchObject([
        { kind: 'worker', worker: { id: worker.id, state: 'lost', running: 1 } },
      ]);
    });

    test('has schedulers that are paused until they are resumed', async () => {
      const model = simpleModel([{ name: 'a' }], { schedulers: [SCHEDULER] });
      const world = await worldOf(model, databases);
      const store = await world.database.openStore();
      await store.write(function* () {
        yield {
          sql: "update scheduler set paused_at = 5, pause_reason = 'refused three times' where name = 'small'",
          values: [],
        };
      });
      await store.close();
      expect((await world.engine.listAttention()).items).toMatchObject([
        { kind: 'scheduler', name: 'small', reason: 'refused three times', paused_at_ms: 5 },
      ]);
      await world.engine.resumeScheduler(world.workflowId, 'small', { actor: 'ada' });
      expect((await world.engine.listAttention()).items).toEqual([]);
    });
  });
}

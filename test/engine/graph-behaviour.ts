import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { namePattern } from '../../src/core/text/name-pattern.ts';
import { type Databases, worldOf } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

const NAMES = ['point_1', 'point_22', 'p1.5_x', 'p2.25_x', 'v1.2.3', 'plain', 'a7b8'];

/** What the graph and the timeline of a workflow are drawn from, on any database. */
export function graphBehaviour(databases: Databases): void {
  describe('the graph of a workflow', () => {
    test('has a group for names that differ in numbers, with counts, edges, routes and how long they took', async () => {
      const world = await worldOf(
        simpleModel([
          { name: 'begin' },
          { name: 'train_1', after: ['begin'] },
          { name: 'train_2', after: ['begin'] },
          { name: 'train_10', after: ['begin'], onFail: { run: ['clean_3'] } },
          { name: 'merge', after: ['train_1', 'train_2', 'train_10'], onFail: { goto: 'begin' } },
          { name: 'clean_3', onCall: true },
        ]),
        databases,
      );
      const worker = await world.remoteWorker();
      await worker.runReady();
      const claims = await worker.claim({ slots: 2 });
      await worker.exchange({ started: claims });
      world.clock.now += 4_000;
      await worker.exchange({
        finished: [
          { claim: claims[0]!, outcome: outcome({ exit_code: 0 }), startedAt: world.clock.now - 4_000 },
        ],
      });

      const { groups, edges, routes, left_off } = await world.engine.graph(world.workflowId);
      expect(groups.map(({ label, jobs, on_call }) => [label, jobs, on_call])).toEqual([
        ['begin', 1, false],
        ['train_*', 3, false],
        ['merge', 1, false],
        ['clean_*', 1, true],
      ]);
      expect(groups[1]!.counts).toMatchObject({ completed: 1, running: 1, ready: 1, failed: 0 });
      expect(groups.map(({ mean_success_ms }) => mean_success_ms)).toEqual([0, 4_000, null, null]);
      expect(edges).toEqual([
        { from: 0, to: 1 },
        { from: 1, to: 2 },
      ]);
      // The first job of `train_*` has no route.
      expect(routes).toEqual([{ from: 2, to: 0, key: 'on_fail', kind: 'goto' }]);
      expect(left_off).toBe(0);

      const named = async (group: string) =>
        (await world.engine.listJobs(world.workflowId, { group })).items.map(({ name }) => name);
      expect(await named('train_*')).toEqual(['train_1', 'train_2', 'train_10']);
      expect(await named('train')).toEqual([]);
    });

    test('counts what has recovered and the CPUs in use, and the status forgets failures that have recovered', async () => {
      const retry = { max_retries_failure: 1 };
      const world = await worldOf(
        simpleModel([
          { name: 'train_1', retry },
          { name: 'train_2', retry },
          { name: 'last', after: ['train_1'], cpus: 2 },
        ]),
        databases,
      );
      const worker = await world.remoteWorker();
      await worker.runReady({ train_1: 1, train_2: 1 });
      const failures = async () =>
        (await world.engine.status(world.workflowId)).failures.map((each) => [each.name, each.attempt_id]);
      expect(await failures()).toEqual([
        ['train_2', 1],
        ['train_1', 1],
      ]);
      world.clock.now += 3_600_000;
      await worker.runReady({ train_2: 1 });
      expect(await failures()).toEqual([['train_2', 2]]);
      await worker.exchange({ started: await worker.claim({ slots: 1 }) });
      const { groups } = await world.engine.graph(world.workflowId);
      expect(groups.map(({ label, recovered, cpus_in_use }) => [label, recovered, cpus_in_use])).toEqual([
        ['train_*', 1, 0],
        ['last', 0, 2],
      ]);
    });

    test('makes the same groups of names as `holdfast graph`', async () => {
      const world = await worldOf(simpleModel(NAMES.map((name) => ({ name }))), databases);
      const { groups } = await world.engine.graph(world.workflowId);
      expect(groups.map(({ label }) => label)).toEqual([...new Set(NAMES.map(namePattern))]);
    });

    test('is bounded: what is left off is counted', async () => {
      const letters = (index: number) =>
        [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
      const names = Array.from({ length: 320 }, (_, index) => letters(index));
      const world = await worldOf(
        simpleModel(names.map((name, index) => ({ name, after: index > 0 ? [names[index - 1]!] : [] }))),
        databases,
      );
      const { groups, edges, left_off } = await world.engine.graph(world.workflowId);
      expect([groups.length, edges.length, left_off]).toEqual([300, 299, 20]);
    });
  });

  test('events are listed by type', async () => {
    const world = await worldOf(simpleModel([{ name: 'a' }, { name: 'b' }]), databases);
    const worker = await world.remoteWorker();
    await worker.runReady({ b: 1 });
    const types = async (type: ('failure' | 'completed')[]) =>
      (await world.engine.listEvents(world.workflowId, { type, sort: '-id' })).items.map(
        (event) => event.type,
      );
    expect(await types(['failure'])).toEqual(['failure']);
    expect((await types(['failure', 'completed'])).sort()).toEqual(['completed', 'failure']);
  });

  describe('the timelines of a workflow', () => {
    test('have the attempts of each job, of as many runs as are asked for', async () => {
      const world = await worldOf(
        simpleModel([
          { name: 'a', retry: { max_retries_failure: 1, initial_retry_delay_ms: 1_000, jitter: 'none' } },
          { name: 'b', after: ['a'] },
        ]),
        databases,
      );
      const worker = await world.remoteWorker();
      const began = world.clock.now;
      await worker.runReady({ a: 3 });
      const waiting = await world.engine.listTimelines(world.workflowId, {});
      expect(waiting.items[0]).toMatchObject({
        name: 'a',
        status: 'ready',
        retry_available_at_ms: began + 1_000,
        attempts: [
          {
            attempt_id: 1,
            state: 'FAILED',
            verdict: 'retry',
            error: 'exit 3',
            started_at_ms: began,
            recovery: null,
          },
        ],
      });
      expect(waiting.items.map(({ ready_at_ms }) => ready_at_ms)).toEqual([
        (await world.engine.status(world.workflowId)).workflow.created_at_ms,
        null,
      ]);
      world.clock.now += 1_000;
      await worker.runReady();
      world.clock.now += 500;
      const ready = async () => (await world.engine.listTimelines(world.workflowId, { name: 'b' })).items[0];
      expect(await ready()).toMatchObject({ status: 'ready', ready_at_ms: began + 1_000, attempts: [] });
      await worker.runReady();
      expect(await ready()).toMatchObject({
        ready_at_ms: began + 1_000,
        attempts: [{ claimed_at_ms: began + 1_500 }],
      });
      world.passLease();
      await world.engine.resetStatus(world.workflowId, { actor: 'ada' });

      const attempts = async (query: object) =>
        (await world.engine.listTimelines(world.workflowId, query)).items.map(({ name, attempts: list }) => [
          name,
          list.map(({ run_id, attempt_id, state }) => `${run_id}.${attempt_id} ${state}`),
        ]);
      expect(await attempts({})).toEqual([
        ['a', []],
        ['b', []],
      ]);
      expect(await attempts({ runs: 2 })).toEqual([
        ['a', ['1.1 FAILED', '1.2 SUCCEEDED']],
        ['b', ['1.1 SUCCEEDED']],
      ]);
      expect(await attempts({ runs: 2, name: 'B' })).toEqual([['b', ['1.1 SUCCEEDED']]]);
      const first = await world.engine.listTimelines(world.workflowId, { limit: 1 });
      const second = await world.engine.listTimelines(world.workflowId, { limit: 1, after: first.next! });
      expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['a', 'b']);
    });
  });
}

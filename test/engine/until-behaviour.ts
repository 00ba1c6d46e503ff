import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { modelOf } from '../spec/spec-text.ts';
import { type Databases, type EngineWorld, worldOf } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

const ADA = { actor: 'ada' };

/** a → b → c, and beside it a → d; e stands alone. */
const GRAPH = [
  { name: 'a' },
  { name: 'b', after: ['a'] },
  { name: 'c', after: ['b'] },
  { name: 'd', after: ['a'] },
  { name: 'e' },
];

/** A run that ends at some jobs, on any database. */
export function untilBehaviour(databases: Databases): void {
  const makeWorld = (model = simpleModel(GRAPH)) => worldOf(model, databases);
  const named = async (world: EngineWorld) =>
    Object.fromEntries((await world.jobs()).map(({ name, status }) => [name, status]));
  const standing = async (world: EngineWorld) => {
    const { exit_code, complete, held } = await world.engine.status(world.workflowId);
    return { exit_code, complete, held: held.jobs };
  };

  describe('a run until a job', () => {
    test('starts only what the job needs, and then has an exit code without being complete', async () => {
      const world = await makeWorld();
      const { engine, workflowId } = world;
      const workflow = await engine.setUntil(workflowId, { until: ['b'], ...ADA });
      expect(workflow.until).toEqual(['b']);
      const worker = await world.remoteWorker();
      expect(await standing(world)).toEqual({ exit_code: null, complete: false, held: 3 });
      expect(await worker.runReady()).toEqual(['a']);
      expect(await worker.runReady()).toEqual(['b']);
      expect(await worker.claim()).toEqual([]);
      expect(await standing(world)).toEqual({ exit_code: 0, complete: false, held: 3 });
      expect(await named(world)).toMatchObject({ b: 'completed', c: 'ready', d: 'ready', e: 'ready' });
      expect(await engine.explain(workflowId, 'd')).toMatchObject({
        headline: 'not started: the run ends at b, which does not need it',
      });
      const events = (await world.events()).filter(({ type }) => type === 'workflow_until');
      expect(events).toMatchObject([{ actor: 'ada', data: { until: ['b'], held: 3 } }]);

      await engine.setUntil(workflowId, { until: null, ...ADA });
      expect((await worker.runReady()).toSorted()).toEqual(['c', 'd', 'e']);
      expect(await standing(world)).toEqual({ exit_code: 0, complete: true, held: 0 });
    });

    test('fails with what it needs, and cancels what depends on that', async () => {
      const world = await makeWorld();
      await world.engine.setUntil(world.workflowId, { until: ['b'], ...ADA });
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1 });
      expect(await named(world)).toMatchObject({ a: 'failed', c: 'canceled', d: 'canceled', e: 'ready' });
      expect(await standing(world)).toEqual({ exit_code: 1, complete: false, held: 1 });
    });

    test('takes patterns and several targets, and is created that way', async () => {
      const world = await makeWorld();
      const model = simpleModel(GRAPH);
      const { engine, dir } = world;
      const { id, until } = await engine
        .createWorkflow({
          ...{ model, cwd: dir, output_dir: 'output', actor: 'test', until: ['[e]', 'd*'] },
        })
        .catch((error: { code: string }) => ({ id: 0, until: error.code }));
      expect([id, until]).toEqual([0, 'NO_SUCH_TARGET']);
      expect((await engine.listWorkflows({})).items).toHaveLength(1);
      const other = await engine.createWorkflow({
        ...{ model, cwd: dir, output_dir: 'output', actor: 'test', until: ['?', 'd*'] },
      });
      expect((await engine.status(other.id)).held.jobs).toBe(0);
      const third = await engine.createWorkflow({
        ...{ model, cwd: dir, output_dir: 'output', actor: 'test', until: ['e', 'd*'] },
      });
      expect((await engine.status(third.id)).held.jobs).toBe(2);
    });

    test('lets finish what runs already, and ends when that has ended', async () => {
      const world = await makeWorld();
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      await world.engine.setUntil(world.workflowId, { until: ['a'], ...ADA });
      const [a, e] = claims;
      await worker.exchange({ finished: [{ claim: a!, outcome: outcome({ exit_code: 0 }) }] });
      expect((await standing(world)).exit_code).toBeNull();
      await worker.exchange({ finished: [{ claim: e!, outcome: outcome({ exit_code: 0 }) }] });
      expect(await standing(world)).toMatchObject({ exit_code: 0, complete: false });
    });

    test('runs what the routes of needed jobs call', async () => {
      const world = await makeWorld(
        simpleModel([
          { name: 'a', onFail: { run: ['fix', 'other'] } },
          { name: 'fix', onCall: true },
          { name: 'other' },
          { name: 'last', after: ['a'] },
        ]),
      );
      await world.engine.setUntil(world.workflowId, { until: ['a'], ...ADA });
      const worker = await world.remoteWorker();
      expect(await worker.runReady({ a: 1 })).toEqual(['a', 'other']);
      expect(await worker.runReady()).toEqual(['fix']);
      expect(await worker.runReady()).toEqual(['other']);
      world.clock.now += 60_000;
      expect(await worker.runReady()).toEqual(['a']);
      expect(await standing(world)).toEqual({ exit_code: 0, complete: false, held: 1 });
    });

    test('holds back items of a list that it does not need, and not those that it needs', async () => {
      const world = await makeWorld(
        modelOf(`steps:
  list: { exec: x, forEach: true, output: json, depends_on: [] }
  p: { exec: x, depends_on: list }
  q: { exec: x, depends_on: p }
  all: { exec: x, depends_on: p, fanout: reduce }
`),
      );
      const { engine, workflowId } = world;
      await engine.setUntil(workflowId, { until: ['all'], ...ADA });
      const worker = await world.remoteWorker();
      const [list] = await worker.claim();
      await engine.exchange(worker.id, {
        ...{ started: [], errands: [], capacity: null, workflow_id: workflowId },
        finished: [
          {
            ...{ token: list!.token, started_at_ms: world.clock.now, finished_at_ms: world.clock.now },
            ...{ outcome: outcome({ exit_code: 0 }), usage: null, output: [1, 2] },
          },
        ],
      });
      expect(await worker.runReady()).toEqual(['p', 'p']);
      expect(await worker.runReady()).toEqual(['all']);
      expect(await worker.claim()).toEqual([]);
      expect(await standing(world)).toEqual({ exit_code: 0, complete: false, held: 2 });
    });

    test('follows an update: what the target needs now is started, and what it needs no more is not', async () => {
      const world = await makeWorld();
      const { engine, workflowId } = world;
      await engine.setUntil(workflowId, { until: ['b'], ...ADA });
      const edited = [
        { name: 'a' },
        { name: 'b', after: ['new'] },
        { name: 'new', after: ['e'] },
        { name: 'other' },
        { name: 'e' },
      ];
      await engine.updateWorkflow(workflowId, { model: simpleModel(edited), ...ADA });
      const worker = await world.remoteWorker();
      expect(await worker.runReady()).toEqual(['e']);
      expect(await worker.runReady()).toEqual(['new']);
      expect(await worker.runReady()).toEqual(['b']);
      expect(await standing(world)).toEqual({ exit_code: 0, complete: false, held: 2 });
    });

    test('is refused for what does not exist, with what may have been meant, and when all has ended', async () => {
      const world = await makeWorld(simpleModel([{ name: 'merge' }]));
      const until = (target: string) => world.engine.setUntil(world.workflowId, { until: [target], ...ADA });
      await expect(until('mrege')).rejects.toMatchObject({
        code: 'NO_SUCH_TARGET',
        message: 'until: there is no job and no declared output file "mrege"; did you mean "merge"?',
      });
      expect((await world.engine.getWorkflow(world.workflowId)).until).toBeNull();
      await (await world.remoteWorker()).runReady();
      await expect(until('merge')).rejects.toMatchObject({ code: 'WORKFLOW_COMPLETE' });
    });
  });
}

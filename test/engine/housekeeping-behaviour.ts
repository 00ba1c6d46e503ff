import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { removeSome } from '../../src/store/rows/workflows/removal-rows.ts';
import { hideWorkflow } from '../../src/store/rows/workflows/storing-rows.ts';
import { all } from '../../src/store/script.ts';
import type { Store } from '../../src/store/store.ts';
import { type Databases, type EngineWorld, type WorkerHand, worldOf } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

const ADA = { actor: 'ada' };
/** Every table that has rows of workflows. */
const TABLES = [
  'workflow',
  'run',
  'requirement',
  'failure_handler',
  'user_data',
  'scope',
  'dependency_set',
  'dependency_member',
  'job',
  'attempt',
  'attempt_samples',
  'attempt_log',
  'log_reader',
  'decision',
  'route',
  'call',
  'action',
  'action_job',
  'errand',
  'scheduler',
  'allocation',
  'submission',
  'event',
];

/** With a row in almost every table. */
const FULL = simpleModel(
  [
    { name: 'a', handler: 'patient', post: 'true', retry: { max_retries_failure: 1 } },
    { name: 'b', after: ['a'], onSuccess: { run: ['called'] } },
    { name: 'called', onCall: true },
    { name: 'c', after: ['a'] },
  ],
  {
    handlers: [{ name: 'patient', rules: [] }],
    usePendingFailed: true,
  },
);

async function onStore<T>(world: EngineWorld, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await world.database.openStore();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function rowCounts(world: EngineWorld): Promise<Record<string, number>> {
  return onStore(world, async (store) => {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const [row] = await store.read(() => all<{ count: number }>(`select count(*) as count from ${table}`));
      counts[table] = Number(row!.count);
    }
    return counts;
  });
}

async function endAll(worker: WorkerHand, codes: Record<string, number> = {}): Promise<void> {
  while ((await worker.runReady(codes)).length > 0);
}

/** Waits for what happens beside the engine. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(10);
}

/** Deleting, pruning and archiving, on any database. */
export function housekeepingBehaviour(databases: Databases): void {
  const another = (world: EngineWorld): Promise<ServedEngine> => {
    const { databaseUrl } = world.database;
    return openEngine({
      dir: world.dir,
      create: false,
      clock: () => world.clock.now,
      ...(databaseUrl !== undefined && { databaseUrl }),
    });
  };
  /** A second workflow, complete, of the same world. */
  const complete = async (world: EngineWorld, name: string, code = 0): Promise<number> => {
    const model = simpleModel([{ name }]);
    const { id } = await world.engine.createWorkflow({ model, cwd: '/', output_dir: 'output', ...ADA });
    const { id: worker } = await world.engine.registerWorker({ ...ownIdentity(), host: 'elsewhere' });
    await world.engine.adopt(id, worker);
    const claims = await claimOf(world, worker, id);
    await report(world, worker, id, claims[0]!.token, code);
    await world.engine.retireWorker(worker);
    return id;
  };

  describe('a deleted workflow', () => {
    test('leaves no row behind, and another one keeps all of its rows', async () => {
      const world = await worldOf(FULL, databases);
      const worker = await world.remoteWorker();
      await worker.exchange({
        started: await worker.claim(),
      });
      await world.engine.cancel(world.workflowId, ADA);
      await world.engine.retireWorker(worker.id);
      const other = await complete(world, 'other');
      const keyed = { model: FULL, cwd: '/', output_dir: 'output', ...ADA, idempotency_key: 'k' };
      const full = await world.engine.createWorkflow(keyed);
      const before = await rowCounts(world);
      const { jobs } = await world.engine.deleteWorkflow(full.id, ADA);
      expect(jobs).toBe(4);
      const reader = await another(world);
      await expect(world.engine.getWorkflow(full.id)).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
      await until(async () => (await rowCounts(world)).workflow === 2);
      await world.engine.deleteWorkflow(world.workflowId, ADA);
      await until(async () => (await rowCounts(world)).workflow === 1);

      const after = await rowCounts(world);
      expect(before).toMatchObject({ failure_handler: 2, submission: 1 });
      expect(after).toMatchObject({ workflow: 1, job: 1, attempt: 1, run: 1, requirement: 1 });
      for (const table of ['failure_handler', 'submission', 'errand', 'dependency_member']) {
        expect([table, after[table]]).toEqual([table, 0]);
      }
      expect((await reader.listWorkflows()).items.map(({ id }) => id)).toEqual([other]);
      expect(await reader.status(other)).toMatchObject({ complete: true, exit_code: 0 });
      const { items } = await reader.listAudit();
      expect(items.map(({ action, actor, subject }) => [action, actor, subject])).toContainEqual([
        'workflow_deleted',
        'ada',
        `workflow ${full.id}`,
      ]);
      await reader.close();
    });

    test('has its attempts, logs, samples, errands and decisions removed, in many transactions', async () => {
      const names = Array.from({ length: 450 }, (_, index) => `j${index}`);
      const world = await worldOf(simpleModel(names.map((name) => ({ name, post: 'true' }))), databases);
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      await worker.exchange({
        finished: claims.map((claim) => ({
          claim,
          outcome: outcome({ exit_code: 0 }),
          samples: [{ at_ms: 0, rss_bytes: 1, cpu_ms: 1 }],
        })),
      });
      await world.engine.putLogs(
        worker.id,
        claims.map(({ token }) => ({ token, stream: 'stdout', offset: 0, data: Buffer.from('x') })),
      );
      await world.engine.retireWorker(worker.id);
      await world.engine.cancel(world.workflowId, ADA);
      expect(await rowCounts(world)).toMatchObject({ attempt: 450, attempt_log: 450, errand: 450 });
      await world.engine.deleteWorkflow(world.workflowId, ADA);
      await until(async () => (await rowCounts(world)).workflow === 0);
      expect(Object.values(await rowCounts(world)).reduce((sum, count) => sum + count)).toBe(0);
    });

    test('that a crash left half removed is hidden, and removed by the next sweep', async () => {
      const world = await worldOf(FULL, databases);
      await onStore(world, async (store) => {
        await store.write(() => hideWorkflow(world.workflowId));
        await store.write(() => removeSome(world.workflowId, 0));
      });
      expect((await world.engine.listWorkflows()).items).toEqual([]);
      expect((await rowCounts(world)).workflow).toBe(1);
      const worker = await world.engine.registerWorker({ ...ownIdentity(), host: 'elsewhere' });
      expect(await claimOf(world, worker.id, world.workflowId)).toEqual([]);
      await expect(world.engine.adopt(world.workflowId, worker.id)).rejects.toMatchObject({
        code: 'WORKFLOW_NOT_FOUND',
      });
      await (world.engine as ServedEngine).sweep();
      expect((await rowCounts(world)).workflow).toBe(0);
    });

    test('is removed once by two that do so at the same time', async () => {
      const names = Array.from({ length: 450 }, (_, index) => ({ name: `j${index}` }));
      const world = await worldOf(simpleModel(names), databases);
      const other = await another(world);
      const deleted = await Promise.allSettled([
        world.engine.deleteWorkflow(world.workflowId, ADA),
        other.deleteWorkflow(world.workflowId, ADA),
      ]);
      expect(deleted.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await Promise.all([(world.engine as ServedEngine).sweep(), other.sweep()]);
      await other.close();
      await until(async () => (await rowCounts(world)).workflow === 0);
      expect((await rowCounts(world)).job).toBe(0);
    });

    test('is only described by a dry run', async () => {
      const world = await worldOf(FULL, databases);
      const described = await world.engine.deleteWorkflow(world.workflowId, { ...ADA, dry_run: true });
      expect(described).toMatchObject({ jobs: 4, attempts: 0, files: { count: 0, bytes: 0 } });
      expect((await world.engine.getWorkflow(world.workflowId)).job_count).toBe(4);
    });
  });

  describe('what runs', () => {
    test('is neither deleted nor archived nor pruned', async () => {
      const world = await worldOf(simpleModel([{ name: 'a' }]), databases);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await worker.exchange({ started: [claim!] });
      const refused = { code: 'RUN_ACTIVE' };
      await expect(world.engine.deleteWorkflow(world.workflowId, ADA)).rejects.toMatchObject(refused);
      await expect(world.engine.archiveWorkflow(world.workflowId, ADA)).rejects.toMatchObject({
        code: 'WORKFLOW_BUSY',
      });
      expect(await world.engine.pruneWorkflows({ ...ADA, keep: 0 })).toEqual({ removed: [], kept: 0 });
      expect(await world.job('a')).toMatchObject({ status: 'running' });
    });

    test('includes what workers of a server may start at any moment, unless it is paused', async () => {
      const world = await worldOf(simpleModel([{ name: 'a' }]), databases);
      const { id } = await world.engine.createWorkflow({
        model: simpleModel([{ name: 'b' }]),
        cwd: '.',
        output_dir: 'output',
        ...ADA,
        shared: true,
      });
      await expect(world.engine.deleteWorkflow(id, ADA)).rejects.toMatchObject({ code: 'WORKFLOW_BUSY' });
      await world.engine.pauseWorkflow(id, ADA);
      await world.engine.deleteWorkflow(id, ADA);
      await expect(world.engine.getWorkflow(id)).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    });
  });

  describe('pruning', () => {
    test('removes what ended long enough ago, beyond what is kept, in the statuses that are named', async () => {
      const world = await worldOf(simpleModel([{ name: 'open' }]), databases);
      const ids: number[] = [];
      for (const code of [0, 1, 0, 0]) {
        ids.push(await complete(world, `w${ids.length}`, code));
        world.clock.now += 60_000;
      }
      const removed = async (request: object) =>
        (await world.engine.pruneWorkflows({ ...ADA, dry_run: true, ...request })).removed.map(
          ({ workflow_id, status }) => [workflow_id, status],
        );
      // The ends are 4, 3, 2 and 1 minutes ago.
      expect(await removed({ older_than_ms: 180_000 })).toEqual([
        [ids[0], 'completed'],
        [ids[1], 'failed'],
      ]);
      expect(await removed({ keep: 3 })).toEqual([[ids[0], 'completed']]);
      expect(await removed({ keep: 3, older_than_ms: 300_000 })).toEqual([]);
      expect(await removed({ keep: 0, statuses: ['failed'] })).toEqual([[ids[1], 'failed']]);
      expect((await world.engine.listWorkflows()).items).toHaveLength(5);

      await world.engine.archiveWorkflow(ids[0]!, ADA);
      const done = await world.engine.pruneWorkflows({ ...ADA, keep: 1 });
      expect(done.removed.map(({ workflow_id }) => workflow_id)).toEqual([ids[1], ids[2]]);
      expect(done.kept).toBe(1);
      expect((await world.engine.listWorkflows()).items.map(({ id }) => id)).toEqual([
        ids[3],
        world.workflowId,
      ]);
    });
  });

  describe('an archived workflow', () => {
    test('is left out of lists until it is shown again, and can be read all the time', async () => {
      const world = await worldOf(simpleModel([{ name: 'a' }]), databases);
      const { engine, workflowId } = world;
      const worker = await world.remoteWorker();
      await endAll(worker, { a: 1 });
      const archived = await engine.archiveWorkflow(workflowId, { ...ADA, reason: 'published' });
      expect(archived.archived_at_ms).toBe(world.clock.now);
      expect((await engine.archiveWorkflow(workflowId, ADA)).archived_at_ms).toBe(world.clock.now);
      expect((await engine.listWorkflows()).items).toEqual([]);
      expect((await engine.listWorkflows({ archived: true })).items).toHaveLength(1);
      expect(await engine.status(workflowId)).toMatchObject({ complete: true });
      const shown = await engine.unarchiveWorkflow(workflowId, ADA);
      expect(shown.archived_at_ms).toBeNull();
      expect((await world.events()).map(({ type }) => type).slice(-2)).toEqual([
        'workflow_archived',
        'workflow_unarchived',
      ]);
    });

    test.each(['retry', 'reset'])('is shown again by a %s: it runs once more', async (what) => {
      const world = await worldOf(simpleModel([{ name: 'a' }]), databases);
      const { engine, workflowId } = world;
      const worker = await world.remoteWorker();
      await endAll(worker, { a: 1 });
      await engine.retireWorker(worker.id);
      await engine.archiveWorkflow(workflowId, ADA);
      if (what === 'retry') await engine.retryJob(workflowId, 'a', ADA);
      else await engine.resetStatus(workflowId, ADA);
      expect((await engine.listWorkflows()).items).toHaveLength(1);
    });
  });
}

async function claimOf(world: EngineWorld, worker: number, workflowId: number) {
  const { claims } = await world.engine.exchange(worker, {
    started: [],
    finished: [],
    errands: [],
    capacity: { cpus: 8, memory_bytes: 1e12, gpus: 0, slots: 8, default_cpus: 1 },
    workflow_id: workflowId,
  });
  return claims;
}

async function report(world: EngineWorld, worker: number, workflowId: number, token: number, code: number) {
  const { now } = world.clock;
  await world.engine.exchange(worker, {
    started: [],
    finished: [
      {
        token,
        started_at_ms: now,
        finished_at_ms: now,
        outcome: outcome({ exit_code: code }),
        usage: null,
      },
    ],
    errands: [],
    capacity: null,
    workflow_id: workflowId,
  });
}

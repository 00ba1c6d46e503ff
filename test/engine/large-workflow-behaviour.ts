import { describe, expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { WorkflowPart } from '../../src/core/model/workflow-parts.ts';
import { prepareWorkflow, workflowParts } from '../../src/engine/submit/workflow-parts.ts';
import { all } from '../../src/store/script.ts';
import { type Databases, type EngineWorld, PLENTY, worldOf } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

const COUNT = 5_000;
const LARGE = {
  model: simpleModel([
    ...Array.from({ length: COUNT }, (_, index) => ({ name: `j${index}` })),
    { name: 'last', after: ['j0', `j${COUNT - 1}`] },
  ]),
  cwd: '.',
  output_dir: 'output',
  actor: 'ada',
  shared: true,
};

/** Calls back before each part. */
async function* partsWith(before: (count: number) => Promise<void> | void): AsyncGenerator<WorkflowPart> {
  let count = 0;
  for (const part of workflowParts(LARGE.model)) {
    await before(count);
    count += 1;
    yield part;
  }
}

async function rowsOf(world: EngineWorld, table: string): Promise<number> {
  const store = await world.database.openStore();
  try {
    const rows = await store.read(() => all<{ count: number }>(`select count(*) as count from ${table}`));
    return rows[0]!.count;
  } finally {
    await store.close();
  }
}

/** A workflow of many jobs is stored in many short transactions, and is there when all of it is. */
export function largeWorkflowBehaviour(databases: Databases): void {
  const makeWorld = async () => {
    const world = await worldOf(simpleModel([{ name: 'only' }]), databases);
    return { world, engine: world.engine as ServedEngine };
  };

  describe('a large workflow', () => {
    test('is neither seen nor claimed before all of it is stored, and others are served meanwhile', async () => {
      const { world, engine } = await makeWorld();
      const worker = await world.remoteWorker();
      const looks: unknown[] = [];
      const record = await engine.storeWorkflow(
        prepareWorkflow(LARGE),
        partsWith(async () => {
          const claims = await worker.claim({ ...PLENTY, slots: 1 });
          const { items } = await engine.listWorkflows();
          const hidden = await engine.getWorkflow(world.workflowId + 1).catch(({ code }) => code);
          looks.push([
            claims.filter(({ workflow_id }) => workflow_id !== world.workflowId),
            items.length,
            hidden,
          ]);
          expect(await engine.findJob(2).catch(({ code }) => code)).toBe('NO_SUCH_JOB');
        }),
      );
      expect(looks.length).toBeGreaterThan(COUNT / 500);
      expect(new Set(looks.map((look) => JSON.stringify(look)))).toEqual(
        new Set([JSON.stringify([[], 1, 'WORKFLOW_NOT_FOUND'])]),
      );
      expect(record).toMatchObject({ id: world.workflowId + 1, job_count: COUNT + 1 });
      const { counts } = await engine.status(record.id);
      expect(counts).toMatchObject({ ready: COUNT, blocked: 1 });
    });

    test('that cannot be stored to its end leaves nothing behind', async () => {
      const { world, engine } = await makeWorld();
      const broken = partsWith((count) => {
        if (count === 5) throw new Error('the thread ended');
      });
      await expect(engine.storeWorkflow(prepareWorkflow(LARGE), broken)).rejects.toThrow('the thread ended');
      expect(await rowsOf(world, 'job')).toBe(1);
      expect(await rowsOf(world, 'dependency_member')).toBe(0);
      expect((await engine.listWorkflows()).items).toHaveLength(1);
    });

    test('whose process died is removed, and a process that was only asleep cannot continue with it', async () => {
      const { world, engine } = await makeWorld();
      const asleep = partsWith(async (count) => {
        if (count !== 8) return;
        await engine.sweep();
        expect(await rowsOf(world, 'job')).toBeGreaterThan(100);
        world.clock.now += 61_000;
        // A sweep waits a second for the removal, which then continues beside it.
        do await engine.sweep();
        while ((await rowsOf(world, 'job')) > 1);
      });
      await expect(engine.storeWorkflow(prepareWorkflow(LARGE), asleep)).rejects.toMatchObject({
        code: 'STORE_FAILED',
      });
      expect(await rowsOf(world, 'job')).toBe(1);
    });

    test('is one workflow under one key, whoever is first', async () => {
      const { engine } = await makeWorld();
      const keyed = { ...LARGE, idempotency_key: 'k' };
      const ids = await Promise.all([engine.createWorkflow(keyed), engine.createWorkflow(keyed)]);
      expect(ids[0]!.id).toBe(ids[1]!.id);
      expect((await engine.createWorkflow(keyed)).id).toBe(ids[0]!.id);
      expect((await engine.listWorkflows()).items).toHaveLength(2);
      await expect(engine.createWorkflow({ ...keyed, cwd: 'x' })).rejects.toMatchObject({
        code: 'KEY_REUSED',
      });
    });
  });
}

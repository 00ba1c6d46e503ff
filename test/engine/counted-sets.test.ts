import { expect, test } from 'vitest';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';
import { planRange } from '../../src/core/request/plan-units.ts';
import { roundWorkflow } from '../../src/spec/request/round-workflow.ts';
import { all } from '../../src/store/script.ts';
import { requestOf } from '../spec/request-text.ts';
import { type EngineWorld, worldOf } from './engine-world.ts';

const SPEC = `kind: request
name: a
work: { range: { total: 8, per_job: 2 } }
jobs_per_unit: 2
process: { command: "x > {output}", retry: 0 }
merge: { command: "cat {inputs} > {output}", retry: 0 }
cleanup: { command: "rm {inputs}", retry: 0 }
`;

/** How many members of each set are open, and how many did not succeed, in the order of the model. */
async function setsOf(world: EngineWorld): Promise<{ remaining: number; unsuccessful: number }[]> {
  const store = await world.database.openStore();
  try {
    return await store.read(() =>
      all<{ remaining: number; unsuccessful: number }>(
        'select remaining, unsuccessful from dependency_set order by id',
      ),
    );
  } finally {
    await store.close();
  }
}

test('the set of a unit is counted down although no job waits for it', async () => {
  const { model: request } = requestOf(SPEC);
  const { units: planned } = planRange({ total: 8n, per_job: 2 }, { cursor: 1n, delivered: 0n }, 2, 2);
  const { model, units } = roundWorkflow({
    model: request,
    settings: DEFAULT_ERROR_SETTINGS,
    overrides: {},
    version: 1,
    round: 1,
    firstUnit: 1,
    units: planned,
    cwd: '/work',
    output_dir: 'output',
  });
  // The post step is not what this is about.
  const jobs = model.jobs.map((job) => ({ ...job, config: { ...job.config, post: null } }));
  const world = await worldOf({ ...model, jobs });
  const worker = await world.remoteWorker();
  const counts = async () => {
    const sets = await setsOf(world);
    return units.map(({ set }) => [Number(sets[set]!.remaining), Number(sets[set]!.unsuccessful)]);
  };
  expect(await counts()).toEqual([
    [3, 0],
    [3, 0],
  ]);
  await worker.runReady({ unit_000002_proc_01: 1 });
  expect(await counts()).toEqual([
    [1, 0],
    // The merge is canceled with its unit.
    [0, 2],
  ]);
  expect(await worker.runReady()).toEqual(['unit_000001_merge']);
  expect(await worker.runReady({ unit_000001_cleanup: 1 })).toEqual(['unit_000001_cleanup']);
  expect(await counts()).toEqual([
    [0, 0],
    [0, 2],
  ]);
  expect((await world.jobs()).map(({ name, status }) => [name, status])).toEqual([
    ['unit_000001_proc_01', 'completed'],
    ['unit_000001_proc_02', 'completed'],
    ['unit_000001_merge', 'completed'],
    ['unit_000001_cleanup', 'failed'],
    ['unit_000002_proc_01', 'failed'],
    ['unit_000002_proc_02', 'completed'],
    ['unit_000002_merge', 'canceled'],
    ['unit_000002_cleanup', 'canceled'],
  ]);
});

import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { parseSlurmProfiles } from '../../src/cli/config/slurm-profiles.ts';
import { AutoSchedule } from '../../src/cli/slurm/auto-schedule.ts';
import { allPages } from '../../src/contract/all-pages.ts';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { DEFAULT_AUTO_SCHEDULE } from '../../src/core/allocation/auto-schedule.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { makeProject } from './run-cli.ts';

const engines: ServedEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

/** A workflow whose only action orders once, and a watch that has profiles of partitions. */
async function watched(jobs: string) {
  const cwd = makeProject();
  const loaded = loadSpec(
    `slurm_schedulers: [{name: s, account: physics, ntasks_per_node: 4}, {name: t, account: physics, ntasks_per_node: 8}]\nactions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s}]\njobs: ${jobs}`,
    'w.yaml',
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const engine = await openEngine({ dir: join(cwd, '.holdfast'), create: true });
  engines.push(engine);
  const place = { cwd, output_dir: join(cwd, 'output'), actor: 'test', shared: true };
  const { id } = await engine.createWorkflow({ model: loaded.model, executor: 'slurm', ...place });
  const profiles = parseSlurmProfiles({ main: { nodes: 4, cpus: 64, memory: '64g' } });
  if ('problem' in profiles) throw new Error(profiles.problem);
  const context = { settings: { slurm_profiles: profiles.value } } as CommandContext;
  const auto = new AutoSchedule(context, engine, DEFAULT_AUTO_SCHEDULE);
  return {
    engine,
    id,
    look: async (now: number) => auto.look(await engine.status(id), now),
    ordered: async () =>
      (await allPages((page) => engine.listAllocations({ ...page, workflow_id: id }))).map(
        ({ scheduler }) => scheduler,
      ),
  };
}

describe('watch --auto-schedule', () => {
  test('orders one allocation of the first scheduler that fits when ready jobs have none', async () => {
    const { look, ordered } = await watched('[{name: a, command: x}, {name: b, command: x}]');
    expect(await look(0)).toBeNull();
    expect(await ordered()).toEqual([]);
    expect(await look(10_000)).toBe('2 jobs are ready and no allocation is alive: ordered allocation 1 of s');
    expect(await ordered()).toEqual(['s']);
    // It is on its way.
    expect(await look(200_000)).toBeNull();
  });

  test('orders of the scheduler that a label names, whatever else fits', async () => {
    const { look, ordered } = await watched('[{name: a, command: x, labels: ["slurm:t"]}]');
    await look(0);
    expect(await look(10_000)).toBe('1 job is ready and no allocation is alive: ordered allocation 1 of t');
    expect(await ordered()).toEqual(['t']);
  });

  test('says so when a label names a scheduler that cannot run its jobs', async () => {
    const { look, ordered } = await watched(
      '[{name: a, command: x, labels: ["slurm:t"], resource_requirements: {num_cpus: 20}}]',
    );
    await look(0);
    expect(await look(10_000)).toMatch(/nothing was ordered: the label slurm:t allows only/);
    expect(await ordered()).toEqual([]);
  });

  test('orders one of each scheduler that is needed, and proposes a new one where none fits', async () => {
    const { look, ordered, engine, id } = await watched(
      '[{name: a, command: x, resource_requirements: {num_cpus: 6}}, {name: b, command: x, resource_requirements: {num_cpus: 20, runtime: 1h}}]',
    );
    await look(0);
    expect(await look(10_000)).toContain('ordered allocations 1 of t, 2 of cpu-20');
    expect((await ordered()).sort()).toEqual(['cpu-20', 't']);
    const schedulers = (await engine.listSchedulers(id)).items;
    expect(schedulers.find(({ name }) => name === 'cpu-20')!.model.options).toMatchObject({
      account: 'physics',
      partition: 'main',
      'ntasks-per-node': '20',
    });
  });

  test('says why nothing could be ordered', async () => {
    const { look, ordered } = await watched('[{name: a, command: x, resource_requirements: {num_cpus: 65}}]');
    await look(0);
    expect(await look(10_000)).toContain(
      'nothing was ordered: slurm: no partition fits 1 job that needs 65 CPUs',
    );
    expect(await ordered()).toEqual([]);
  });

  test('leaves a paused workflow alone', async () => {
    const { look, engine, id } = await watched('[{name: a, command: x}]');
    await engine.pauseWorkflow(id, { actor: 'test' });
    await look(0);
    expect(await look(600_000)).toBeNull();
  });
});

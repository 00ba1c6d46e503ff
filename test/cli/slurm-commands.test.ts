import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { AllocationRecord } from '../../src/contract/records/allocation.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { FakeSlurm } from '../slurm/fake-slurm.ts';
import { makeProject, runCli } from './run-cli.ts';

const slurm = new FakeSlurm({ nodes: 2, cpus: 4 });
afterAll(() => slurm.down());

const SPEC = `# my workflow
name: w
resource_requirements: [{ name: small, num_cpus: 1, runtime: 10m }]
jobs:
  - { name: "a_{i}", command: "true", resource_requirements: small, parameters: { i: "1:20" } }
  - { name: last, command: "true", depends_on_regexes: ["a_.*"] }
`;
const PROFILES = `slurm_profiles:
  main: { nodes: 8, cpus: 32, memory: 128g, max_walltime: 1-00:00:00, default: true }
  gpu: { nodes: 2, cpus: 64, memory: 256g, gpus: 4, max_walltime: 12h }
`;

/** Without Slurm: as on a laptop. */
const NO_SLURM = { PATH: makeProject() };

describe('run without Slurm', () => {
  test('refuses the address for workers in allocations, before anything is stored', async () => {
    const cwd = makeProject({ 'w.yaml': SPEC });
    for (const flag of ['--host=login1', '--port=7000']) {
      const { code, stderr } = await runCli(['run', 'w.yaml', flag], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining('only with --executor slurm')]);
    }
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });
});

describe('slurm generate', () => {
  test('completes a spec from what sinfo lists, and says why', async () => {
    const cwd = makeProject({ 'w.yaml': SPEC });
    const { code, stdout, stderr } = await runCli(['slurm', 'generate', 'w.yaml', '--account', 'p'], {
      cwd,
      env: slurm.env,
    });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('# my workflow');
    const loaded = loadSpec(stdout, 'w.yaml');
    if (!loaded.ok) throw new Error(stdout);
    expect(loaded.model.schedulers).toEqual([
      expect.objectContaining({ name: 'small', cpus: 4, walltime_ms: 20 * 60_000 }),
    ]);
    expect(loaded.model.actions).toEqual([
      expect.objectContaining({ schedule: expect.objectContaining({ allocations: 2, automatic: true }) }),
    ]);
    expect(stderr).toContain('small: walltime 00:20:00: 1.5 times the longest runtime, 10m00s');
    expect(stderr).toContain('small: 20 jobs that need 1 CPU, 10m00s (and 1 that does not say)');
  });

  test('works without Slurm where the configuration has profiles, and writes only what -o names', async () => {
    const cwd = makeProject({ 'w.yaml': SPEC, '.holdfast/config.yaml': PROFILES });
    const args = ['slurm', 'generate', 'w.yaml', '--account', 'p'];
    const gpu = await runCli([...args, '--partition', 'gpu', '-o', 's.yaml'], { cwd, env: NO_SLURM });
    expect(gpu).toMatchObject({ code: 0, stdout: 'wrote s.yaml\n' });
    expect(readFileSync(join(cwd, 's.yaml'), 'utf8')).toContain('partition: gpu');
    expect(readFileSync(join(cwd, 'w.yaml'), 'utf8')).toBe(SPEC);
    const { stdout } = await runCli([...args, '--output', 'json'], { cwd, env: NO_SLURM });
    expect(JSON.parse(stdout)).toMatchObject({
      file: null,
      complete: true,
      source: 'the setting slurm_profiles',
      slurm_schedulers: [{ name: 'small', partition: 'main', ntasks_per_node: 21 }],
    });
    const { stdout: shown } = await runCli(['config', 'show'], { cwd });
    expect(shown).toContain('gpu: 2 nodes with 64 CPUs, 256g, 4 GPUs, 12h00m');
  });

  test.each([
    [['w.yaml'], '--account: name the account to charge'],
    [['w.yaml', '--account', 'p', '--partition', 'x'], 'there is no partition x'],
    [['slurm.yaml', '--account', 'p'], 'has slurm_schedulers already (s)'],
    [['w.yaml', '--account', 'p', '--submit'], '--submit: `slurm generate` has no use for it'],
    [[], 'slurm generate: name the spec'],
  ])('refuses %j', async (args, message) => {
    const cwd = makeProject({
      'w.yaml': SPEC,
      'slurm.yaml': `${SPEC}slurm_schedulers: [{name: s}]\n`,
      '.holdfast/config.yaml': PROFILES,
    });
    const { code, stdout, stderr } = await runCli(['slurm', 'generate', ...args], { cwd, env: NO_SLURM });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('says where to run it when there is neither', async () => {
    const cwd = makeProject({ 'w.yaml': SPEC });
    const { code, stderr } = await runCli(['slurm', 'generate', 'w.yaml', '--account', 'p'], {
      cwd,
      env: NO_SLURM,
    });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'run it on a login node, or describe the partitions with the setting slurm_profiles',
    );
  });

  test.each([
    ['{gpu: {cpus: 4}}', 'slurm_profiles gpu: nodes must be a whole number of at least 1'],
    ['{gpu: {nodes: 1, cpus: 4, memory: lots}}', 'gpu: memory of a node must be a size'],
    ['{gpu: {nodes: 1, cpus: 4, memory: 1g, max_walltime: soon}}', 'gpu: max_walltime must be a time limit'],
    ['{gpu: {nodes: 1, cpus: 4, memory: 1g, size: 3}}', 'not size'],
    ['{gpu: 3}', 'gpu: must be what its nodes have'],
    ['many', 'slurm_profiles must be partitions'],
  ])('refuses the profiles %s', async (profiles, message) => {
    const cwd = makeProject({ '.holdfast/config.yaml': `slurm_profiles: ${profiles}\n` });
    const { code, stderr } = await runCli(['config', 'show'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('slurm plan', () => {
  const spec = (nodes: number) =>
    `name: w\nslurm_schedulers: [{ name: s, nodes: ${nodes}, walltime: 60 }]\njobs: [{ name: a, command: x }]\nactions: [{ trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, num_allocations: 2 }]\n`;

  test('asks when one large and many small allocations would start', async () => {
    const cwd = makeProject({ 's.yaml': spec(1), 'w.yaml': SPEC });
    const { code, stdout, stderr } = await runCli(['slurm', 'plan', 's.yaml'], { cwd, env: slurm.env });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^s +as written +2 +1 +at once$/m);
    expect(stdout).toMatch(/^s +one large +1 +2 +at once$/m);
    expect(stdout).toContain('s: leave it as it is; nothing starts sooner');
    expect(slurm.calls('sbatch').filter((words) => !words.includes('--test-only'))).toEqual([]);
    const none = await runCli(['slurm', 'plan', 'w.yaml'], { cwd, env: slurm.env });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('holdfast slurm generate w.yaml --account ACCOUNT');
  });

  test('recommends what the cluster takes where it would refuse what is written', async () => {
    const cwd = makeProject({ 's.yaml': spec(2) });
    const { stdout } = await runCli(['slurm', 'plan', 's.yaml', '--output', 'json'], { cwd, env: slurm.env });
    const { shapes } = JSON.parse(stdout) as {
      shapes: { label: string; nodes: number; allocations: number }[];
    };
    expect(shapes.map(({ label, nodes, allocations }) => [label, allocations, nodes])).toEqual([
      ['as written', 2, 2],
      ['one large', 1, 4],
      ['many small', 4, 1],
    ]);
  });
});

describe('allocations of a stored workflow', () => {
  async function stored(): Promise<{
    cwd: string;
    holdfast: (...args: string[]) => ReturnType<typeof runCli>;
  }> {
    const cwd = makeProject({ '.holdfast/config.yaml': PROFILES });
    const loaded = loadSpec(`${SPEC}slurm_schedulers: [{name: s, account: physics}]\n`, 'w.yaml');
    if (!loaded.ok) throw new Error('not valid');
    const engine = await openEngine({ dir: join(cwd, '.holdfast'), create: true });
    const place = { cwd, output_dir: join(cwd, 'output'), actor: 'test', shared: true };
    await engine.createWorkflow({ model: loaded.model, executor: 'slurm', ...place });
    await engine.orderAllocations(1, { actor: 'test', scheduler: 's', count: 2 });
    await engine.close();
    return { cwd, holdfast: (...args) => runCli(args, { cwd, env: NO_SLURM }) };
  }
  const listed = async ({ holdfast }: Awaited<ReturnType<typeof stored>>, ...args: string[]) =>
    JSON.parse(
      (await holdfast('slurm', 'allocations', ...args, '--output', 'json')).stdout,
    ) as AllocationRecord[];

  test('are listed, and canceled one by one', async () => {
    const world = await stored();
    const { stdout } = await world.holdfast('slurm', 'allocations', '1');
    expect(stdout).toMatch(/^ID +WORKFLOW +SCHEDULER +SLURM +STATE +REASON +START +END +WORKERS +RUNNING$/m);
    expect(stdout).toMatch(/^ *1 +1 +s +- +planned/m);
    const canceled = await world.holdfast('slurm', 'cancel', '1', '--reason', 'too many');
    expect(canceled).toMatchObject({
      code: 0,
      stdout: 'allocation 1 was canceled before it was submitted\n',
    });
    expect((await listed(world)).map(({ id }) => id)).toEqual([2]);
    const all = await listed(world, '--all');
    expect(all.find(({ id }) => id === 1)).toMatchObject({ state: 'ended', end: 'unsubmitted' });
    expect((await world.holdfast('slurm', 'allocations', '--all')).stdout).toContain('too many');
    expect(await world.holdfast('slurm', 'cancel', '1')).toMatchObject({ code: 2 });
    expect(await world.holdfast('slurm', 'cancel', 'x')).toMatchObject({ code: 2 });
  });

  test('of a scheduler are resumed', async () => {
    const world = await stored();
    expect(await world.holdfast('slurm', 'resume', '1', 's')).toMatchObject({
      code: 0,
      stdout: 'scheduler s of workflow 1 is resumed\n',
    });
    expect((await world.holdfast('slurm', 'resume', '1', 'x')).stderr).toContain('no scheduler x');
    expect((await world.holdfast('slurm', 'resume', '1')).stderr).toContain(
      'name the workflow and the scheduler',
    );
  });

  test('are ordered for what is left, with the account of before', async () => {
    const world = await stored();
    const dry = await world.holdfast('slurm', 'regenerate', '1', '--dry-run');
    expect(dry.stdout).toContain('scheduler small: 1 × 1 node with 21 CPUs');
    expect(dry.stdout).toContain('nothing was changed');
    expect(await listed(world)).toHaveLength(2);
    const submitted = await world.holdfast('slurm', 'regenerate', '1', '--submit');
    expect(submitted.code, submitted.stderr).toBe(0);
    expect(submitted.stdout).toContain('(account physics, partition main)');
    expect(submitted.stdout).toContain('ordered allocation 3');
    expect((await listed(world)).map(({ scheduler }) => scheduler).sort()).toEqual(['s', 's', 'small']);
    // A name that is taken is not used again.
    expect((await world.holdfast('slurm', 'regenerate', '1', '--output', 'quiet')).stdout).toBe('small-2\n');
  });

  test('are only for a workflow with something left to run', async () => {
    const cwd = makeProject({
      'flow.yaml': 'name: f\njobs: [{ name: a, command: "true" }]\n',
      '.holdfast/config.yaml': PROFILES,
    });
    await runCli(['run', 'flow.yaml'], { cwd });
    const { code, stderr } = await runCli(['slurm', 'regenerate', '1'], { cwd, env: NO_SLURM });
    expect(code).toBe(2);
    expect(stderr).toContain('there is nothing to ask for');
    const watched = await runCli(['watch', '1', '--auto-schedule'], { cwd });
    expect(watched.stderr).toContain('workflow 1 runs without Slurm');
    expect((await runCli(['watch', '1', '--auto-schedule-threshold', '3'], { cwd })).stderr).toContain(
      '--auto-schedule-threshold: only with --auto-schedule',
    );
  });
});

describe('doctor', () => {
  const checks = async (env: Record<string, string>) => {
    const cwd = makeProject();
    const { code, stdout } = await runCli(['doctor', '--output', 'json'], { cwd, env });
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
    const found = JSON.parse(stdout) as { name: string; result: string; detail: string }[];
    return { code, slurm: found.filter(({ name }) => name.startsWith('slurm')) };
  };

  test('says that there is no Slurm, which is fine', async () => {
    const { slurm: found } = await checks({ PATH: makeProject() });
    expect(found).toEqual([
      { name: 'slurm', result: 'ok', detail: 'not found: no sbatch on PATH', hint: null },
    ]);
  });

  test('asks version and controller, and warns of files that nodes do not see', async () => {
    const { code, slurm: found } = await checks(slurm.env);
    expect(code).toBe(0);
    expect(found.map(({ name }) => name)).toEqual([
      'slurm',
      'slurm controller',
      'slurm clock',
      'slurm files',
    ]);
    expect(found[1]).toMatchObject({ result: 'ok', detail: 'fake of cluster fake' });
  });

  test('warns of a controller that does not answer, and of files that nodes do not see all the same', async () => {
    const absent = new FakeSlurm();
    absent.answer('scontrol', { kind: 'absent' });
    const { code, slurm: found } = await checks(absent.env);
    absent.down();
    expect(code).toBe(0);
    expect(found.slice(1)).toMatchObject([
      { name: 'slurm controller', result: 'warn' },
      { name: 'slurm files', result: 'warn', detail: expect.stringContaining('local disk') },
    ]);
  });
});

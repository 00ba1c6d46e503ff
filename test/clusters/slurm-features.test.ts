import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { largestOverlap, makeWorld } from '../e2e/world.ts';
import { essence, eventually, slurmRun } from './slurm-run-world.ts';

const ONCE = {
  ...{ trigger_type: 'on_workflow_start', action_type: 'schedule_nodes' },
  ...{ scheduler: 'node', scheduler_type: 'slurm', num_allocations: 1 },
};

describe.concurrent('on real Slurm', () => {
  test('an allocation of two nodes has a worker on each, for as many jobs at once as its action allows', async (context) => {
    const run = await slurmRun(
      context,
      [
        {
          name: 'job{i}',
          command: 'echo "$SLURMD_NODENAME" >> nodes; sleep 0.5',
          resource_requirements: { num_cpus: 1 },
          parameters: { i: '1:12' },
        },
      ],
      {
        scheduler: { nodes: 2 },
        actions: [{ ...ONCE, start_one_worker_per_node: true, max_parallel_jobs: 2 }],
      },
    );
    const { code, stderr } = await run.start().ended;
    expect(code, stderr).toBe(0);
    expect(new Set(run.world.lines('nodes'))).toEqual(new Set(['n1', 'n2']));
    expect(await run.allocations()).toMatchObject([{ word: 'COMPLETED' }]);
    const attempts = await run.world.attempts();
    const workers = [...new Set(attempts.map(({ worker_id }) => worker_id))];
    expect(workers).toHaveLength(2);
    for (const worker of workers) {
      expect(largestOverlap(attempts.filter(({ worker_id }) => worker_id === worker))).toBe(2);
    }
  });

  test('a worker that dies takes the one on the other node of its allocation not along', async (context) => {
    const command = 'echo "$SLURMD_NODENAME" >> nodes; until [ -e go ]; do sleep 0.1; done';
    const run = await slurmRun(context, [{ name: 'job{i}', command, parameters: { i: '1:8' } }], {
      scheduler: { nodes: 2 },
      actions: [{ ...ONCE, start_one_worker_per_node: true }],
    });
    const driver = run.start();
    await run.reached('nodes', 8);
    const lost = run.world.lines('nodes').filter((node) => node === 'n1').length;
    expect(lost).toBeGreaterThan(0);
    await eventually(() => run.slurm.killWorkers('n1') > 0, 'a worker is killed');
    run.world.write('go');
    const { code, stderr } = await driver.ended;
    expect(code, stderr).toBe(0);
    expect(await run.allocations()).toHaveLength(1);
    const states = (await run.world.attempts()).map(({ state }) => state);
    expect(states.filter((state) => state === 'SUCCEEDED')).toHaveLength(8);
    expect(states.filter((state) => state === 'WORKER_FAILED')).toHaveLength(lost);
    expect(run.world.lines('nodes').slice(8)).toEqual(Array.from({ length: lost }, () => 'n2'));
  });

  test('a job that is a step ends as it does without Slurm', async (context) => {
    const jobs = [
      { name: 'fine', command: 'echo "$SLURM_STEP_ID" > step; echo reported; echo more >&2' },
      { name: 'bad', command: 'exit 7', retry: { max_retries_failure: 1, initial_delay: '10ms' } },
      { name: 'killed', command: 'kill -SEGV $$' },
      {
        name: 'slow',
        command: 'trap "echo trapped >> traps; exit 0" TERM; while :; do sleep 0.1; done',
        timeout: '2s',
      },
    ];
    const execution_config = { mode: 'slurm' };
    const run = await slurmRun(context, jobs, { execution_config });
    const local = makeWorld(context, { 'spec.json': { name: 'here', execution_config, jobs } });
    const [there, here] = [await run.start().ended, await local.start('run', 'spec.json').ended];
    expect(there.code).toBe(here.code);
    const reported = async (world: typeof local) =>
      (await world.attempts()).map((attempt) => JSON.stringify(essence(attempt))).sort();
    expect(await reported(run.world)).toEqual(await reported(local));
    expect(run.world.lines('step')[0]).toMatch(/^\d+$/);
    expect(run.world.lines('traps')).toEqual(['trapped']);
    expect(local.lines('step')).toEqual([]);
    expect(await run.holdfast('logs', '1', 'fine')).toBe('reported\n');
    expect(await run.holdfast('logs', '1', 'fine', '--stderr')).toBe('more\n');
  });

  test('a spec without schedulers is completed, planned and run, and what failed gets allocations of its own', async (context) => {
    const run = await slurmRun(context, [{ name: 'unused', command: 'true' }]);
    run.world.write(
      'plain.json',
      JSON.stringify({
        name: 'plain',
        resource_requirements: [{ name: 'small', num_cpus: 1, memory: '100m', runtime: '2m' }],
        jobs: [
          {
            name: 'job{i}',
            command: '[ {i} != 2 ] || [ -e fixed ]',
            resource_requirements: 'small',
            parameters: { i: '1:4' },
          },
          { name: 'last', command: 'touch last', depends_on_regexes: ['^job'] },
        ],
      }),
    );
    await run.holdfast('slurm', 'generate', 'plain.json', '--account', 'physics', '-o', 'made.json');
    expect(readFileSync(join(run.world.dir, 'made.json'), 'utf8')).toContain('"partition": "low"');
    expect(await run.holdfast('slurm', 'plan', 'made.json')).toMatch(/as written .* at once/);
    expect(await run.allocations()).toEqual([]);
    const first = await run.world.startWith(run.env, 'run', 'made.json', '--executor', 'slurm').ended;
    expect(first.code, first.stderr).toBe(1);
    const before = (await run.allocations()).length;
    run.world.write('fixed');
    await run.holdfast('reset-status', '1', '--failed-only');
    await run.holdfast('slurm', 'regenerate', '1', '--submit');
    expect(await run.holdfast('slurm', 'allocations', '1')).toContain('small-2');
    const second = await run.world.startWith(run.env, 'run', '1').ended;
    expect(second.code, second.stderr).toBe(0);
    expect(await run.allocations()).toHaveLength(before + 1);
    expect(existsSync(join(run.world.dir, 'last'))).toBe(true);
  });

  test('watch --auto-schedule orders an allocation for a job that a person lets run again', async (context) => {
    const run = await slurmRun(context, [{ name: 'odd', command: '[ -e fixed ] || exit 5' }], {
      use_pending_failed: true,
      compute_node_wait_for_new_jobs_seconds: 1,
      actions: [ONCE],
    });
    const server = run.serve('--port', '0', '--output', 'quiet', '--log-level', 'error');
    const url = await eventually(() => /http\S+/.exec(server.output().stdout)?.[0], 'the server listens');
    await run.holdfast('submit', 'spec.json', '--server', url);
    await run.world.jobWhich('it waits', ({ status }) => status === 'pending_failed');
    await eventually(
      async () => (await run.allocations()).every(({ word }) => word === 'COMPLETED'),
      'its allocation has ended',
    );
    run.world.write('fixed');
    const watch = run.world.startWith(run.env, 'watch', '1', '--auto-schedule', '--server', url);
    await run.holdfast('resolve', '1', '--retry', 'odd', '--server', url);
    const { code, stderr } = await watch.ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('1 job is ready and no allocation is alive: ordered allocation');
    expect(await run.allocations()).toHaveLength(2);
    server.child.kill('SIGTERM');
    await server.ended;
  });
});

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { makeWorld } from '../e2e/world.ts';
import { essence, eventually, slurmRun } from './slurm-run-world.ts';
import { hasControlGroups } from './slurm-world.ts';

/** Its first attempt never ends by itself, and calls its end by a signal a success. The second one has its checkpoint. */
const STUBBORN = {
  name: 'stubborn',
  command: `echo "$SLURMD_NODENAME" >> tries
if [ "$(wc -l < tries)" -gt 1 ]; then cp "$HOLDFAST_CHECKPOINT_DIR/half" carried; exit 0; fi
echo half > "$HOLDFAST_CHECKPOINT_DIR/half"
trap 'echo trapped >> traps; exit 0' TERM
while :; do sleep 0.1; done`,
};
const BOTH = ['--partition=high', '--nodes=2', '--exclusive'];

/** The two attempts of a job whose first one was lost with its allocation, without any charge. */
const LOST = [
  { job_name: 'stubborn', state: 'WORKER_FAILED', cause: 'lost' },
  { job_name: 'stubborn', state: 'SUCCEEDED' },
];

async function lostTo(
  context: TestContext,
  end: (run: Awaited<ReturnType<typeof slurmRun>>, id: string) => Promise<unknown>,
) {
  const run = await slurmRun(context, [STUBBORN]);
  const driver = run.start();
  await run.reached('tries');
  const id = await run.allocation('RUNNING');
  await end(run, id);
  const { code, stderr } = await driver.ended;
  expect(await run.world.attempts('stubborn'), stderr).toMatchObject(LOST);
  expect(await run.world.job('stubborn')).toMatchObject({ failure_count: 0, preemption_count: 1 });
  expect(run.world.lines('carried')).toEqual(['half']);
  expect(code).toBe(0);
  return { ...run, id };
}

describe.concurrent('on real Slurm', () => {
  test('60 jobs with retries run over two nodes', async (context) => {
    const run = await slurmRun(
      context,
      [
        {
          name: 'job{i}',
          command: `echo "$SLURMD_NODENAME" >> nodes; sleep 0.3; [ $(({i} % 3)) != 0 ] || [ -e tried{i} ] || { touch tried{i}; exit 7; }`,
          retry: { max_retries_failure: 1, initial_delay: '10ms' },
          parameters: { i: '1:60' },
        },
      ],
      {
        actions: [
          {
            ...{ trigger_type: 'on_workflow_start', action_type: 'schedule_nodes' },
            ...{ scheduler: 'node', scheduler_type: 'slurm', num_allocations: 2 },
          },
        ],
      },
    );
    const { code } = await run.start().ended;
    expect(code).toBe(0);
    const statuses = (await run.world.jobs()).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 60 }, () => 'completed'));
    expect(await run.world.attempts()).toHaveLength(80);
    expect(new Set(run.world.lines('nodes'))).toEqual(new Set(['n1', 'n2']));
    expect(await run.allocations()).toHaveLength(2);
  });

  test('a workflow has the same statuses, attempts and exit code as without it', async (context) => {
    const jobs = [
      { name: 'fine', command: 'echo fine' },
      {
        name: 'flaky',
        command: '[ -e flaky ] || { touch flaky; exit 9; }',
        retry: { max_retries_failure: 2 },
      },
      { name: 'bad', command: 'exit 3', retry: { max_retries_failure: 1, initial_delay: '10ms' } },
      { name: 'slow', command: 'sleep 100', timeout: '500ms' },
      { name: 'killed', command: 'kill -SEGV $$' },
      { name: 'never', command: 'true', depends_on: ['bad'] },
      { name: 'after', command: 'true', depends_on: ['fine', 'flaky'] },
    ];
    const run = await slurmRun(context, jobs);
    const local = makeWorld(context, { 'spec.json': { name: 'here', jobs } });
    const [there, here] = [await run.start().ended, await local.start('run', 'spec.json').ended];
    expect(there.code).toBe(here.code);
    const reported = async (world: typeof local) => ({
      jobs: (await world.jobs()).map(({ name, status }) => ({ name, status })),
      attempts: (await world.attempts())
        .map(essence)
        .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    });
    expect(await reported(run.world)).toEqual(await reported(local));
    expect((await run.world.attempts('slow'))[0]).toMatchObject({ cause: 'timeout' });
  });

  test('jobs are ended as timeouts before the end of their allocation', async (context) => {
    const run = await slurmRun(context, [{ name: 'long', command: 'trap "exit 0" TERM; sleep 300 & wait' }], {
      scheduler: { walltime: '1' },
      compute_node_expiration_buffer_seconds: 20,
      compute_node_min_time_for_new_jobs_seconds: 30,
    });
    const { code } = await run.start().ended;
    expect(await run.world.attempts('long')).toMatchObject([{ cause: 'timeout', match_code: 152 }]);
    expect(await run.world.job('long')).toMatchObject({
      status: 'terminated',
      failure_count: 1,
      preemption_count: 0,
    });
    // The worker left before Slurm had to end it.
    expect(await run.allocations()).toMatchObject([{ word: 'COMPLETED' }]);
    expect(code).toBe(1);
  });

  test('a requeue takes the jobs along, which run again in the same allocation', async (context) => {
    const { id, allocations } = await lostTo(context, ({ slurm }, job) =>
      slurm.command('scontrol', 'requeue', job),
    );
    expect(await allocations()).toMatchObject([{ id, restarts: 1 }]);
  });

  test('preemption uses the budget of preemptions, not of failures', async (context) => {
    const { id, allocations } = await lostTo(context, ({ slurm }) =>
      slurm.command('sbatch', ...BOTH, '--output=/dev/null', '--wrap=sleep 2'),
    );
    expect(await allocations()).toMatchObject([{ id, restarts: 1 }]);
  });

  test('a canceled allocation is replaced by another one', async (context) => {
    const { allocations } = await lostTo(context, ({ slurm }, job) => slurm.command('scancel', job));
    expect(await allocations()).toHaveLength(2);
  });

  test('a killed node takes its jobs along, which run on the other one', async (context) => {
    const { world } = await lostTo(context, ({ slurm }) => slurm.killNode('n1'));
    expect(world.lines('tries')).toEqual(['n1', 'n2']);
  });

  test('a node that is cut off keeps its jobs as long as their worker is heard', async (context) => {
    const run = await slurmRun(context, [
      { name: 'patient', command: 'echo "$SLURMD_NODENAME" >> tries; until [ -e go ]; do sleep 0.1; done' },
    ]);
    const driver = run.start();
    await run.reached('tries');
    await run.slurm.signalNode('n1', 'STOP');
    await eventually(async () => (await run.allocations())[0]!.restarts === 1, 'Slurm gave the node up');
    run.world.write('go');
    const { code } = await driver.ended;
    await run.slurm.signalNode('n1', 'CONT');
    expect(code).toBe(0);
    expect(await run.world.attempts('patient')).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(run.world.lines('tries')).toEqual(['n1']);
  });

  test('a job of several nodes starts its tasks with srun', async (context) => {
    const run = await slurmRun(
      context,
      [
        {
          name: 'wide',
          command: `srun --ntasks=2 --nodes=2 bash -c 'echo "$SLURMD_NODENAME" >> nodes'`,
          resource_requirements: 'wide',
        },
      ],
      { scheduler: { nodes: 2 }, resource_requirements: [{ name: 'wide', num_nodes: 2 }] },
    );
    const { code } = await run.start().ended;
    expect(code).toBe(0);
    expect(run.world.lines('nodes').toSorted()).toEqual(['n1', 'n2']);
  });

  test('nothing is lost or submitted twice while the controller is down', async (context) => {
    const run = await slurmRun(context, [
      { name: 'first', command: 'touch up; until [ -e go ]; do sleep 0.1; done' },
      { name: 'second', command: 'true', depends_on: ['first'] },
    ]);
    const driver = run.start();
    await run.world.jobWhich('first runs', ({ name, status }) => name === 'first' && status === 'running');
    await run.slurm.stopController();
    run.world.write('go');
    await run.world.jobWhich(
      'second has run',
      ({ name, status }) => name === 'second' && status === 'completed',
    );
    await run.slurm.startController();
    expect((await driver.ended).code).toBe(0);
    expect(await run.world.attempts()).toHaveLength(2);
    expect(await run.allocations()).toHaveLength(1);
  });

  test('a driver that is killed before it could note its allocation finds it again', async (context) => {
    const run = await slurmRun(context, [{ name: 'job', command: 'true' }]);
    mkdirSync(join(run.world.dir, 'bin'));
    run.world.write(
      'bin/sbatch',
      `#!/bin/bash
PATH=\${PATH#*:}
sbatch "$@" > "${run.world.dir}/submitted"
if [ ! -e "${run.world.dir}/killed" ]; then
  touch "${run.world.dir}/killed"
  kill -9 "$(ps -o ppid= -p $PPID)"
fi
cat "${run.world.dir}/submitted"
`,
    );
    chmodSync(join(run.world.dir, 'bin/sbatch'), 0o755);
    const env = { SLURM_CONF: run.slurm.env.SLURM_CONF!, PATH: `${run.world.dir}/bin:${process.env.PATH}` };
    const first = await run.world.startWith(env, 'run', 'spec.json', '--executor', 'slurm').ended;
    expect(first.code).toBeNull();
    expect(run.world.lines('submitted')).toHaveLength(1);
    const second = await run.world.startWith(env, 'run', '1').ended;
    expect(second.code).toBe(0);
    expect((await run.allocations()).map(({ id }) => id)).toEqual(run.world.lines('submitted'));
  });

  test('explain says why an allocation waits and when it should start, and Ctrl-C cancels it', async (context) => {
    const run = await slurmRun(context, [{ name: 'job', command: 'true' }]);
    await run.slurm.command('sbatch', ...BOTH, '--output=/dev/null', '--time=5', '--wrap=sleep 300');
    const driver = run.start();
    const id = await run.allocation('PENDING');
    const waits = new RegExp(`allocation ${id} is PENDING: Resources, estimated start \\d\\d:\\d\\d`);
    await eventually(async () => waits.test(await run.holdfast('explain', '1', 'job')), 'it is explained');
    driver.child.kill('SIGINT');
    expect((await driver.ended).code).toBe(130);
    expect(await run.allocations()).toMatchObject([{ id, word: 'CANCELLED' }]);
  });

  test('a request that can never start is an event at once', async (context) => {
    const run = await slurmRun(context, [{ name: 'job', command: 'true' }], {
      scheduler: { ntasks_per_node: 1000 },
    });
    const driver = run.start();
    await run.allocation('PENDING');
    const reported = () =>
      run.world.events().then((events) => events.find(({ type }) => type === 'allocation_waiting'));
    expect(await eventually(reported, 'it is an event')).toMatchObject({
      reason: expect.stringContaining('PartitionConfig'),
    });
    driver.child.kill('SIGINT');
    await driver.ended;
  });

  test('a server with tokens has workers start in allocations for what is submitted to it', async (context) => {
    const run = await slurmRun(context, [
      { name: 'job{i}', command: 'echo {i} >> done', parameters: { i: '1:4' } },
    ]);
    const { secret } = JSON.parse(
      await run.holdfast('token', 'create', '--name', 'ada', '--role', 'operator', '--output', 'json'),
    ) as { secret: string };
    const server = run.serve('--port', '0', '--auth', 'token', '--output', 'quiet', '--log-level', 'error');
    const url = await eventually(() => /http\S+/.exec(server.output().stdout)?.[0], 'the server listens');
    writeFileSync(join(run.world.dir, 'token'), secret);
    const access = ['--server', url, '--token-file', 'token'];
    const { code, stderr } = await run.world.start('run', 'spec.json', ...access).ended;
    expect(code, stderr).toBe(0);
    expect(run.world.lines('done').toSorted()).toEqual(['1', '2', '3', '4']);
    expect(await run.allocations()).toHaveLength(1);
    expect(await run.holdfast('slurm', 'allocations', '1', '--all', ...access)).toContain('node');
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  });

  test('a refusal is explained in the words of Slurm', async (context) => {
    const run = await slurmRun(context, [{ name: 'job', command: 'true' }], {
      scheduler: { partition: 'none' },
    });
    const driver = run.start();
    const explained = async () =>
      (await run.holdfast('explain', '1', 'job')).includes(
        'sbatch refused: invalid partition specified: none',
      );
    await eventually(explained, 'it is explained');
    expect(await run.allocations()).toEqual([]);
    driver.child.kill('SIGINT');
    await driver.ended;
  });
});

test.skipIf(!hasControlGroups())(
  'a job that runs out of the memory of its allocation has ended so',
  async (context) => {
    const hog = `"${process.execPath}" -e 'const held = []; setInterval(() => held.push(Buffer.alloc(20e6, 1)), 20)'`;
    const run = await slurmRun(
      context,
      [
        { name: 'hog', command: hog },
        { name: 'other', command: 'sleep 3' },
      ],
      {
        shape: { nodes: 1, cgroups: true },
        scheduler: { mem: '400M', extra: '' },
      },
    );
    const { code } = await run.start().ended;
    expect(code).toBe(1);
    expect(await run.world.attempts('hog')).toMatchObject([{ state: 'FAILED', cause: 'oom' }]);
    expect(await run.world.job('hog')).toMatchObject({ failure_count: 1, preemption_count: 0 });
    expect(await run.world.attempts('other')).toMatchObject([{ state: 'SUCCEEDED' }]);
  },
);
if (!hasControlGroups())
  console.info('skipped: out of memory in a control group, of which this machine has none (version 1)');

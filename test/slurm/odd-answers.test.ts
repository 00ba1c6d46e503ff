import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SlurmCluster } from '../../src/clusters/slurm/slurm-cluster.ts';
import type { AllocationPlan } from '../../src/contract/cluster.ts';
import { FakeSlurm, type OddAnswer } from './fake-slurm.ts';

let slurm: FakeSlurm;
let cluster: SlurmCluster;

beforeEach(() => {
  slurm = new FakeSlurm();
  cluster = new SlurmCluster({ env: slurm.env });
});
afterEach(() => slurm.down());

function planOf(command: string, options: string[] = []): AllocationPlan {
  const directory = mkdtempSync(join(tmpdir(), 'allocation-'));
  const script = `#!/bin/bash\n${command}\n`;
  return { tag: 'holdfast-0a1b2c', script, options, directory, output: join(directory, 'out'), after: null };
}

async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(10);
  }
}

const word = (id: string, wanted: string) => until(() => (slurm.job(id).word === wanted ? true : undefined));

const ABSENT_CONTROLLER: OddAnswer = { kind: 'absent' };
const garbage = (text: string): OddAnswer => ({ kind: 'garbage', text });
const refused = (text: string, exitCode = 1): OddAnswer => ({ kind: 'refused', text, exitCode });

describe('sbatch', () => {
  test.each([
    ['printed nothing', garbage(''), 'sbatch does not answer: it printed something else: nothing'],
    ['printed no id', garbage('Hello\n'), 'sbatch does not answer: it printed something else: Hello'],
    ['died before its answer', { kind: 'lost' }, 'sbatch does not answer: ended by SIGKILL'],
    [
      'found no controller',
      ABSENT_CONTROLLER,
      'sbatch does not answer: slurm_load_jobs error: Unable to contact slurm controller (connect failure)',
    ],
    [
      'lost the connection after it had sent the job',
      refused('sbatch: error: Batch job submission failed: Socket timed out on send/recv operation'),
      'sbatch does not answer: Socket timed out on send/recv operation',
    ],
    [
      'found no configuration',
      refused(
        'sbatch: error: ClusterName needs to be specified\nsbatch: fatal: Unable to process configuration file',
      ),
      'sbatch does not answer: ClusterName needs to be specified; Unable to process configuration file',
    ],
  ] as [string, OddAnswer, string][])(
    'that %s leaves it open whether there is a job',
    async (_, odd, message) => {
      slurm.answer('sbatch', odd);
      await expect(cluster.submit(planOf('true'))).rejects.toMatchObject({ code: 'CLUSTER_ABSENT', message });
    },
  );

  test.each([
    [
      'sbatch: error: You must specify an account.\nsbatch: error: Batch job submission failed: Unspecified error',
      'sbatch refused: You must specify an account.; Unspecified error',
    ],
    [
      "sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
      "sbatch refused: AssocMaxSubmitJobLimit; Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
    ],
    [
      'sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified',
      'sbatch refused: Invalid account or account/partition combination specified',
    ],
    [
      `sbatch: unrecognized option '--x'\nTry "sbatch --help" for more information`,
      "sbatch refused: unrecognized option '--x'",
    ],
    ['', 'sbatch refused: exit code 1'],
  ])('that says %j has refused', async (text, message) => {
    slurm.answer('sbatch', refused(text));
    await expect(cluster.submit(planOf('true'))).rejects.toMatchObject({ code: 'CLUSTER_REFUSED', message });
  });

  test('that says too much is cut short, in one line', async () => {
    slurm.answer('sbatch', refused(`sbatch: \u001b[31m${'x'.repeat(9999)}`));
    await expect(cluster.submit(planOf('true'))).rejects.toMatchObject({
      code: 'CLUSTER_REFUSED',
      message: expect.stringMatching(/^sbatch refused: .?\[31mx{100,500}…$/),
    });
  });

  test.each([
    ['with the name of its cluster', '4711;alps\n'],
    ['after a greeting of the site', 'Welcome to 2 of our nodes!\n 12 \n4711\n'],
  ])('answers %s', async (_, text) => {
    slurm.answer('sbatch', garbage(text));
    expect(await cluster.submit(planOf('true'))).toBe('4711');
  });

  test('that is slow is ended, and so is all that it started', async () => {
    slurm.answer('sbatch', { kind: 'slow', ms: 60_000 });
    const impatient = new SlurmCluster({ env: slurm.env, limitMs: 400 });
    await expect(impatient.submit(planOf('true'))).rejects.toMatchObject({
      code: 'CLUSTER_ABSENT',
      message: 'sbatch does not answer: no answer within 0.4 s',
    });
  });

  test('that died after it had submitted is found by its tag, once', async () => {
    slurm.answer('sbatch', { kind: 'lost' });
    const plan = planOf('sleep 100');
    await expect(cluster.submit(plan)).rejects.toMatchObject({ code: 'CLUSTER_ABSENT' });
    expect(await cluster.list([plan.tag])).toMatchObject([{ tag: plan.tag, id: '1' }]);
  });

  test('gets the environment of a login, and variables that the user names', async () => {
    const env = {
      ...slurm.env,
      ...{ HOLDFAST_TOKEN: 'secret', AWS_SECRET_ACCESS_KEY: 'secret', A: '1', MODULEPATH: '/modules' },
      ...{ SLURM_MEM_PER_CPU: '7', SBATCH_ACCOUNT: 'mine', SBATCH_WAIT: '1', SBATCH_ARRAY_INX: '1-9' },
    };
    const own = new SlurmCluster({ env });
    const seen = async (options: string[]) => {
      const plan = planOf('env', options);
      await word(await own.submit(plan), 'COMPLETED');
      return readFileSync(plan.output, 'utf8').split('\n');
    };
    const never = ['HOLDFAST_TOKEN=secret', 'SBATCH_WAIT=1', 'SBATCH_ARRAY_INX=1-9', 'SLURM_MEM_PER_CPU=7'];
    const login = await seen([]);
    expect(login).toEqual(expect.arrayContaining(['SBATCH_ACCOUNT=mine', 'MODULEPATH=/modules']));
    for (const line of [...never, 'A=1', 'AWS_SECRET_ACCESS_KEY=secret']) expect(login).not.toContain(line);
    const named = await seen(['--export', 'A,B=2']);
    expect(named).toContain('A=1');
    expect(named).not.toContain('AWS_SECRET_ACCESS_KEY=secret');
    const all = await seen(['--export=ALL']);
    expect(all).toContain('AWS_SECRET_ACCESS_KEY=secret');
    for (const line of never) expect(all).not.toContain(line);
  });

  test('gets options of the user, and ours after them', async () => {
    const plan = planOf('true', ['--ntasks=2', '--job-name=mine', '--export=A,B=2']);
    await cluster.submit({ ...plan, after: '7', output: '/tmp/100%/out' });
    expect(slurm.calls('sbatch')).toEqual([
      [
        ...['--parsable', '--open-mode=append', '--ntasks=2', '--job-name=mine', '--export=ALL,B=2'],
        ...['--job-name=holdfast-0a1b2c', '--comment=holdfast-0a1b2c', `--chdir=${plan.directory}`],
        ...['--output=/tmp/100%%/out', '--dependency=afterany:7'],
      ],
    ]);
  });
});

describe('squeue', () => {
  const tags = ['holdfast-1', 'holdfast-2'];

  test.each([
    [
      '1|holdfast-1|PENDING|N/A|N/A|Resources',
      { state: 'queued', why: 'Resources', never: false, startsAt: null },
    ],
    [
      '1|holdfast-1|PENDING|2026-03-29T02:30:00|2026-03-29T03:30:00|Priority',
      { state: 'queued', why: 'Priority', startsAt: Date.UTC(2026, 2, 29, 2, 30), endsAt: null },
    ],
    [
      '1|holdfast-1|RUNNING|2026-03-29T02:30:00|2026-03-29T03:30:00|None',
      {
        state: 'running',
        why: null,
        startsAt: Date.UTC(2026, 2, 29, 2, 30),
        endsAt: Date.UTC(2026, 2, 29, 3, 30),
      },
    ],
    ['1|holdfast-1|RUNNING|2026-03-29T02:30:00|NONE|None', { state: 'running', endsAt: null }],
    [
      '1|holdfast-1|CONFIGURING|2026-03-29T02:30:00|NONE|None',
      { state: 'queued', word: 'CONFIGURING', why: null },
    ],
    ['1|holdfast-1|COMPLETING|2026-03-29T02:30:00|NONE|None', { state: 'running', word: 'COMPLETING' }],
    ['1|holdfast-1|SUSPENDED|2026-03-29T02:30:00|NONE|None', { state: 'running', word: 'SUSPENDED' }],
    ['1|holdfast-1|REQUEUE_HOLD|N/A|N/A|JobHeldAdmin', { state: 'queued', why: 'JobHeldAdmin', never: true }],
    ['1|holdfast-1|TELEPORTING|N/A|N/A|None', { state: 'running', word: 'TELEPORTING' }],
    [
      '1|holdfast-1|PENDING|N/A|N/A|ReqNodeNotAvail,_UnavailableNodes:n[1|2]',
      { why: 'ReqNodeNotAvail,_UnavailableNodes:n[1|2]', never: false },
    ],
  ])('that lists %s', async (line, view) => {
    slurm.answer('squeue', garbage(`${line}\n`));
    expect(await cluster.list(tags)).toMatchObject([{ id: '1', tag: 'holdfast-1', ...view }]);
  });

  test.each([
    ['PartitionConfig', true],
    ['PartitionNodeLimit', true],
    ['PartitionTimeLimit', true],
    ['BadConstraints', true],
    ['InvalidAccount', true],
    ['InvalidQOS', true],
    ['DependencyNeverSatisfied', true],
    ['AssocMaxWallDurationPerJobLimit', true],
    ['QOSMaxCpuPerJobLimit', true],
    ['QOSMaxGRESPerNode', true],
    ['QOSMinCpuNotSatisfied', true],
    ['launch_failed_requeued_held', true],
    ['QOSMaxNodePerUserLimit', false],
    ['QOSMaxJobsPerUserLimit', false],
    ['AssocGrpCPUMinutesLimit', false],
    ['AssocMaxJobsLimit', false],
    ['PartitionDown', false],
    ['JobHeldUser', false],
    ['Resources', false],
  ])('with the reason %s: never is %s', async (reason, never) => {
    slurm.answer('squeue', garbage(`1|holdfast-1|PENDING|N/A|N/A|${reason}\n`));
    expect(await cluster.list(tags)).toMatchObject([{ why: reason, never }]);
  });

  test.each([
    'Traceback (most recent call last):',
    '1|holdfast-1|PENDING',
    '1|holdfast-1|PENDING|soon|N/A|None',
    'x|holdfast-1|PENDING|N/A|N/A|None',
    '1|holdfast-1|RUNNING|2026-03-29T02:30:00|2026-03-29T03:30:00|None\nCLUSTER: other',
  ])('that prints %j has said nothing, so that none has ended', async (text) => {
    slurm.answer('squeue', garbage(`${text}\n`));
    const strange = { code: 'CLUSTER_ABSENT', message: expect.stringContaining('it printed something else') };
    await expect(cluster.list(tags)).rejects.toMatchObject(strange);
    await expect(cluster.ends(['1'])).rejects.toMatchObject(strange);
  });

  test('that lists others, or such as have ended, is taken at its word for ours', async () => {
    const lines = [
      '1|holdfast-1|CANCELLED|N/A|N/A|None',
      '2|holdfast-2|PENDING|N/A|N/A|None',
      '3|x|PENDING|N/A|N/A|None',
    ];
    slurm.answer('squeue', garbage(`${lines.join('\n')}\n`));
    expect((await cluster.list(tags)).map(({ id }) => id)).toEqual(['2']);
  });

  test('that fails, is slow or is missing has said nothing', async () => {
    slurm.answer('squeue', ABSENT_CONTROLLER);
    await expect(cluster.list(tags)).rejects.toMatchObject({ code: 'CLUSTER_ABSENT' });
    await expect(cluster.ends(['1'])).rejects.toMatchObject({ code: 'CLUSTER_ABSENT' });
    slurm.answer('squeue', { kind: 'slow', ms: 60_000 });
    const impatient = new SlurmCluster({ env: slurm.env, limitMs: 300 });
    await expect(impatient.list(tags)).rejects.toMatchObject({
      message: 'squeue does not answer: no answer within 0.3 s',
    });
    const nowhere = new SlurmCluster({ env: { PATH: '/nowhere' } });
    const missing = { code: 'CLUSTER_ABSENT', message: 'squeue does not answer: squeue is not on PATH' };
    await expect(nowhere.list(tags)).rejects.toMatchObject(missing);
    await expect(nowhere.ends(['1'])).rejects.toMatchObject(missing);
    await expect(nowhere.cancel(['1'])).rejects.toMatchObject({ code: 'CLUSTER_ABSENT' });
    await expect(nowhere.submit(planOf('true'))).rejects.toMatchObject({ code: 'CLUSTER_ABSENT' });
  });

  test('is asked with none of the variables that change its answer', async () => {
    const plan = planOf('sleep 100');
    const env = { ...slurm.env, SQUEUE_STATES: 'COMPLETED', SLURM_TIME_FORMAT: 'relative', TZ: 'Asia/Tokyo' };
    const tokyo = new SlurmCluster({ env });
    const id = await tokyo.submit(plan);
    await word(id, 'RUNNING');
    const [view] = await tokyo.list([plan.tag]);
    expect(Math.abs(view!.startsAt! - Date.now())).toBeLessThan(60_000);
  });

  test('is asked once for some hundred', async () => {
    await cluster.list(Array.from({ length: 300 }, (_, index) => `holdfast-${index}`));
    expect(slurm.calls('squeue')).toHaveLength(1);
  });
});

describe('how an allocation ended', () => {
  test.each([
    ['COMPLETED', 'completed'],
    ['FAILED', 'failed'],
    ['CANCELLED', 'canceled'],
    ['TIMEOUT', 'timeout'],
    ['DEADLINE', 'timeout'],
    ['PREEMPTED', 'preempted'],
    ['NODE_FAIL', 'node_fail'],
    ['BOOT_FAIL', 'node_fail'],
    ['OUT_OF_MEMORY', 'out_of_memory'],
  ])('%s of squeue is %s', async (state, end) => {
    slurm.answer('squeue', garbage(`1|${state}\n`));
    expect(await cluster.ends(['1'])).toEqual(new Map([['1', end]]));
  });

  test.each([
    ['1|CANCELLED by 0\n', 'canceled'],
    ['1|NODE_FAIL\n1|REQUEUED\n1|TIMEOUT\n', 'timeout'],
    ['1|REQUEUED\n', 'requeued'],
    ['1|COMPLETED\n1|RUNNING\n', 'unknown'],
    ['sacct: hello\n', 'unknown'],
    ['', 'unknown'],
  ])('%j of sacct is %s', async (text, end) => {
    slurm.answer('sacct', garbage(text));
    expect(await cluster.ends(['1', '2'])).toEqual(
      new Map([
        ['1', end],
        ['2', 'unknown'],
      ]),
    );
  });

  test('what the controller has forgotten is unknown without accounting, or if that does not answer', async () => {
    const id = await cluster.submit(planOf('exit 1'));
    await word(id, 'FAILED');
    expect(await cluster.ends([id])).toEqual(new Map([[id, 'failed']]));
    slurm.forget(id);
    expect(await cluster.ends([id])).toEqual(new Map([[id, 'unknown']]));
    slurm.set({ accounting: true });
    expect(await cluster.ends([id])).toEqual(new Map([[id, 'failed']]));
    slurm.answer('sacct', refused('sacct: error: Problem talking to the database: Connection refused'));
    expect(await cluster.ends([id])).toEqual(new Map([[id, 'unknown']]));
  });
});

describe('scancel', () => {
  test.each([
    'scancel: error: Kill job error on job id 1: Invalid job id specified',
    'scancel: error: Kill job error on job id 1: Job/step already completing or completed',
  ])('that says %j has done what was wanted', async (text) => {
    slurm.answer('scancel', refused(text));
    await cluster.cancel(['1']);
  });

  test('may be denied', async () => {
    slurm.answer('scancel', refused('scancel: error: Kill job error on job id 1: Access/permission denied'));
    await expect(cluster.cancel(['1'])).rejects.toMatchObject({
      code: 'CLUSTER_REFUSED',
      message: 'scancel refused: Kill job error on job id 1: Access/permission denied',
    });
    slurm.answer('scancel', ABSENT_CONTROLLER);
    await expect(cluster.cancel(['1'])).rejects.toMatchObject({ code: 'CLUSTER_ABSENT' });
  });

  test('hits every process of the script, in whichever session, and kills those that stay', async () => {
    const plan = planOf(
      [
        'trap "echo script" TERM',
        `setsid bash -c 'trap "echo session" TERM; echo up; while :; do sleep 0.01; done' &`,
        `bash -c 'trap "" TERM; echo up; exec sleep 100' &`,
        'while :; do sleep 0.01; done',
      ].join('\n'),
    );
    const id = await cluster.submit(plan);
    const output = () => (existsSync(plan.output) ? readFileSync(plan.output, 'utf8') : '');
    await until(() => (output().split('up').length === 3 ? true : undefined));
    slurm.set({ killWaitMs: 600_000 });
    await cluster.cancel([id]);
    await until(() => (output().includes('script\n') && output().includes('session\n') ? true : undefined));
    expect(slurm.job(id).word).toBe('COMPLETING');
    slurm.set({ killWaitMs: 0 });
    await word(id, 'CANCELLED');
  });
});

test.each([
  ['low*|up|1-12:00:00|1:00:00|3|8|16000+|idle|gpu:a100:4(S:0-1),gpu:2,nvme:1', 6, 36 * 3_600_000],
  ['low*|up|30:00|n/a|3|8|16000|idle~|gpu:8', 8, 1_800_000],
  ['low*|up|infinite|n/a|3|8|16000|mixed|(null)', 0, null],
])('a partition that sinfo prints as %s', async (line, gpus, maxMs) => {
  slurm.answer('sinfo', garbage(`${line}\nlow*|up|1-00:00:00|n/a|1|8|16000|drained*|(null)\n`));
  const [low] = await cluster.partitions();
  expect(low).toMatchObject({ name: 'low', isDefault: true, maxMs });
  expect(low!.kinds[0]).toMatchObject({ gpus, cpus: 8, memoryBytes: 16000 * 1024 ** 2, usable: 3 });
  slurm.answer('sinfo', garbage('PARTITION AVAIL\n'));
  await expect(cluster.partitions()).rejects.toMatchObject({ code: 'CLUSTER_ABSENT' });
});

test('an estimate is no guess: what sbatch says otherwise is an error', async () => {
  const startsAt = Date.UTC(2030, 0, 1);
  slurm.set({ pending: { reason: 'Priority', startsAt } });
  expect(await cluster.estimate(['--nodes=2', '--ntasks=4'])).toEqual({
    startsAt,
    processors: 4,
    nodes: 'n[1-2]',
    partition: 'low',
  });
  slurm.answer('sbatch', garbage('nothing'));
  await expect(cluster.estimate([])).rejects.toMatchObject({ code: 'CLUSTER_ABSENT' });
});

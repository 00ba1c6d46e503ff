import { describe, expect, it } from 'vitest';
import type { SchedulerModel } from '../../src/core/allocation/scheduler.ts';
import { messagesOf, modelOf, warningsOf } from './spec-text.ts';

const JOBS = 'jobs: [{name: a, command: x}]';

function schedulerOf(written: string, more = ''): SchedulerModel {
  return modelOf(`slurm_schedulers: [{name: s, ${written}}]\n${more}\n${JOBS}`).schedulers![0]!;
}

function mistakesOf(written: string, more = ''): string[] {
  return messagesOf(`slurm_schedulers: [{name: s, ${written}}]\n${more}\n${JOBS}`);
}

describe('a scheduler', () => {
  it('becomes options of sbatch, and what one node of it offers', () => {
    expect(
      schedulerOf(
        'account: p, partition: gpu, nodes: 2, walltime: "04:00:00", gres: "gpu:a100:4", mem: 64G, qos: high, tmp: 1T, ntasks_per_node: 8, serialize_allocations: true, extra: "--constraint=\'a b\' --exclude n1"',
        'slurm_defaults: {cpus_per_task: 2, mail-type: END, hold: true, requeue: false, qos: low}',
      ),
    ).toEqual({
      name: 's',
      options: {
        'cpus-per-task': '2',
        'mail-type': 'END',
        hold: null,
        account: 'p',
        partition: 'gpu',
        nodes: '2',
        time: '04:00:00',
        gres: 'gpu:a100:4',
        mem: '64G',
        qos: 'high',
        tmp: '1024G',
        'ntasks-per-node': '8',
      },
      extra: ['--constraint=a b', '--exclude=n1'],
      nodes: 2,
      walltime_ms: 4 * 3_600_000,
      cpus: 16,
      memory_bytes: 64 * 1024 ** 3,
      gpus: 4,
      serialize: true,
      worker: { idle_ms: 300_000, take_until_ms: 60_000, end_before_ms: 30_000, stays: false },
    });
  });

  it('that says nothing asks for one node, of which nothing is known but that it has no GPUs', () => {
    expect(schedulerOf('account: p')).toMatchObject({
      options: { account: 'p', nodes: '1' },
      nodes: 1,
      walltime_ms: null,
      cpus: null,
      memory_bytes: null,
      gpus: 0,
    });
  });

  it('is the same in KDL and in JSON5', () => {
    const yaml = modelOf(
      `name: n\nslurm_schedulers: [{name: s, account: p, walltime: 1-2, ntasks_per_node: 4}]\nslurm_defaults: {mem: 8G}\n${JOBS}`,
    );
    const kdl = modelOf(
      'name "n"\nslurm_scheduler "s" {\n  account "p"\n  walltime "1-2"\n  ntasks_per_node 4\n}\nslurm_defaults {\n  mem "8G"\n}\njob "a" {\n  command "x"\n}\n',
      {},
      'f.kdl',
    );
    const json5 = modelOf(
      "{name: 'n', slurm_schedulers: [{name: 's', account: 'p', walltime: '1-2', ntasks_per_node: 4}], slurm_defaults: {mem: '8G'}, jobs: [{name: 'a', command: 'x'}]}",
      {},
      'f.json5',
    );
    expect(kdl).toEqual(yaml);
    expect(json5).toEqual(yaml);
  });

  it('is absent from the model of a workflow without schedulers', () => {
    expect(modelOf(JOBS)).not.toHaveProperty('schedulers');
  });
});

describe('walltime', () => {
  it.each<[string, number | null, string]>([
    ['90', 90 * 60_000, '01:30:00'],
    ['"10:30"', 630_000, '00:11:00'],
    ['"04:00:00"', 4 * 3_600_000, '04:00:00'],
    ['"1-12"', 36 * 3_600_000, '1-12:00:00'],
    ['"1-12:30"', 36.5 * 3_600_000, '1-12:30:00'],
    ['"2-00:00:30"', 48 * 3_600_000 + 30_000, '2-00:01:00'],
    ['UNLIMITED', null, 'UNLIMITED'],
    ['4h', 4 * 3_600_000, '04:00:00'],
    ['PT1H30M', 90 * 60_000, '01:30:00'],
    ['36h', 36 * 3_600_000, '1-12:00:00'],
  ])('%s is %s ms, and %s for sbatch', (written, ms, time) => {
    expect(schedulerOf(`walltime: ${written}`)).toMatchObject({ walltime_ms: ms, options: { time } });
    expect(schedulerOf('account: p', `slurm_defaults: {time: ${written}}`)).toMatchObject({
      walltime_ms: ms,
      options: { time },
    });
  });

  it.each(['soon', '"1-"', '"1:2:3:4"', '"-5"', '4x'])('%s is a mistake at its place', (written) => {
    expect(mistakesOf(`walltime: ${written}`)).toEqual([
      expect.stringMatching(/^flow\.yaml:1:40: slurm_schedulers\[0\]\.walltime: ".*" is not a time limit; /),
    ]);
  });

  it('that is over before a worker takes anything gives a warning', () => {
    const spec = (more: string) => `slurm_schedulers: [{name: s, walltime: 1}]\n${more}\n${JOBS}`;
    expect(warningsOf(spec(''))).toEqual([
      expect.stringContaining(
        'walltime: takes no jobs: workers take none in the last 1m00s of an allocation',
      ),
    ]);
    expect(warningsOf(spec('compute_node_min_time_for_new_jobs_seconds: 30'))).toEqual([]);
  });

  it('of 0 would end the allocation at once', () => {
    expect(mistakesOf('walltime: 0')).toEqual([expect.stringContaining('must be longer than 0')]);
  });
});

describe('what a node offers', () => {
  it.each<[string, string, Partial<SchedulerModel>]>([
    ['ntasks_per_node: 4', '', { cpus: 4 }],
    ['account: p', '{cpus-per-task: 8}', { cpus: 8 }],
    ['ntasks_per_node: 4', '{cpus-per-task: 8}', { cpus: 32 }],
    ['extra: "-c 6"', '', { cpus: 6 }],
    ['extra: "-c6 --mem-per-cpu=2G"', '', { cpus: 6, memory_bytes: 12 * 1024 ** 3 }],
    ['extra: "-n 3"', '', { cpus: 3 }],
    ['nodes: 2, extra: "-n 3"', '', { cpus: null }],
    ['ntasks_per_node: 4, extra: --exclusive', '', { cpus: null, gpus: null }],
    ['mem: 2000', '', { memory_bytes: 2000 * 1024 ** 2 }],
    ['mem: 512K', '', { memory_bytes: 1024 ** 2, options: { mem: '1M', nodes: '1' } }],
    ['mem: 1.5g', '', { memory_bytes: 1536 * 1024 ** 2, options: { mem: '1536M', nodes: '1' } }],
    ['mem: 0', '', { memory_bytes: null, options: { mem: '0', nodes: '1' } }],
    [
      'mem: 4G',
      '{mem-per-cpu: 1G, cpus-per-task: 2}',
      { memory_bytes: 4 * 1024 ** 3, options: { mem: '4G', nodes: '1', 'cpus-per-task': '2' } },
    ],
    ['gres: gpu', '', { gpus: 1 }],
    ['gres: "gpu:2"', '', { gpus: 2 }],
    ['gres: "gpu:a100"', '', { gpus: 1 }],
    ['gres: "gpu:a100:2,lustre:1"', '', { gpus: 2 }],
    ['gres: "lustre:3"', '', { gpus: 0 }],
    ['extra: --gpus-per-node=a100:3', '', { gpus: 3 }],
    ['extra: "-G 2"', '', { gpus: 2 }],
    ['nodes: 2, extra: --gpus=2', '', { gpus: null }],
  ])('%s with the defaults %s', (written, defaults, expected) => {
    expect(schedulerOf(written, defaults && `slurm_defaults: ${defaults}`)).toMatchObject(expected);
  });
});

describe('a mistake in', () => {
  it.each([
    [
      'nodes of the defaults',
      'account: p',
      'slurm_defaults: {nodes: 2-4}',
      '"2-4" is not a whole number of nodes',
    ],
    ['mem', 'mem: lots', '', '"lots" is not a size'],
    ['gres', 'gres: "gpu:2:x"', '', 'is not a list of resources'],
    [
      'the name of a default',
      'account: p',
      'slurm_defaults: {job-name: x}',
      '`job-name` cannot be given: Holdfast finds',
    ],
    [
      'a default with underscores',
      'account: p',
      'slurm_defaults: {job_name: x}',
      '`job_name` cannot be given',
    ],
    ['a default of one letter', 'account: p', 'slurm_defaults: {J: x}', '`J` cannot be given'],
    ['a default that is no option', 'account: p', 'slurm_defaults: {"a b": x}', '"a b" is not an option'],
    [
      'a default that is given twice',
      'account: p',
      'slurm_defaults: {c: 1, cpus-per-task: 2}',
      'is given twice',
    ],
    ['extra: --array', 'extra: --array=1-9', '', '--array cannot be given: write num_allocations'],
    ['extra: -d', 'extra: "-d afterok:1"', '', '-d cannot be given: write serialize_allocations'],
    ['extra: -t', 'extra: "-t 10"', '', '-t cannot be given: write walltime'],
    ['extra: --nodes', 'extra: --nodes=3', '', '--nodes cannot be given: write nodes'],
    ['extra: part of a name', 'extra: --outp=x', '', '--outp cannot be given: Holdfast keeps'],
    ['extra: --wrap', 'extra: "--wrap=\'rm -rf x\'"', '', '--wrap cannot be given'],
    ['extra: --signal', 'extra: "--signal=B:USR1@30"', '', 'compute_node_expiration_buffer_seconds'],
    ['extra: a script', 'extra: script.sh', '', '"script.sh" is not an option'],
    ['extra: a word behind a flag', 'extra: "--exclusive x"', '', '"x" is not an option'],
    ['extra: an open quote', 'extra: "--constraint=\'a"', '', "has no closing '"],
    ['extra: a key of the scheduler', 'qos: a, extra: --qos=b', '', '--qos is given here and as a key'],
  ])('%s is reported with the way out', (_, written, more, message) => {
    const mistakes = mistakesOf(written, more);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(message);
  });

  it('the name: it must be there, and only once', () => {
    expect(messagesOf(`slurm_schedulers: [{account: p}]\n${JOBS}`)).toEqual([
      expect.stringContaining('slurm_schedulers[0].name: this key is required'),
    ]);
    expect(messagesOf(`slurm_schedulers: [{name: s}, {name: s}]\n${JOBS}`)).toEqual([
      expect.stringContaining('the name "s" is already used by slurm_schedulers[0]'),
    ]);
  });
});

describe('workers of allocations', () => {
  it('behave as the keys of the workflow say', () => {
    const worker = (more: string) => schedulerOf('account: p', more).worker;
    expect(
      worker(
        'compute_node_wait_for_new_jobs_seconds: 20\ncompute_node_min_time_for_new_jobs_seconds: 300\ncompute_node_expiration_buffer_seconds: 120\ncompute_node_ignore_workflow_completion: true',
      ),
    ).toEqual({ idle_ms: 20_000, take_until_ms: 300_000, end_before_ms: 120_000, stays: true });
    expect(
      worker('execution_config: {sigkill_headroom_seconds: 60, sigterm_lead_seconds: 30}'),
    ).toMatchObject({
      take_until_ms: 90_000,
      end_before_ms: 90_000,
    });
    expect(worker('execution_config: {sigkill_headroom_seconds: 5}')).toMatchObject({
      end_before_ms: 15_000,
    });
  });

  it('start jobs as steps where mode is slurm', () => {
    const step = (config: string) => modelOf(`execution_config: ${config}\n${JOBS}`).jobs[0]!.config.step;
    expect(step('{mode: slurm}')).toEqual({ mpi: null, cpu_bind: false, signal: null });
    expect(
      step('{mode: slurm, srun_mpi: pmix, enable_cpu_bind: true, srun_termination_signal: TERM@120}'),
    ).toEqual({ mpi: 'pmix', cpu_bind: true, signal: 'TERM@120' });
    expect(step('{mode: auto}')).toBeNull();
    expect(step('{mode: direct}')).toBeNull();
    expect(messagesOf(`execution_config: {mode: slurm, srun_termination_signal: "a b"}\n${JOBS}`)).toEqual([
      expect.stringContaining('expected a signal and seconds such as TERM@120'),
    ]);
  });
});

describe('the scheduler of a job', () => {
  it('is kept with it, filled in by its sweep', () => {
    const model = modelOf(
      'slurm_schedulers: [{name: s_1}, {name: s_2}]\njobs: [{name: "a_{i}", command: x, scheduler: "s_{i}", parameters: {i: "1:2"}}, {name: b, command: x}]',
    );
    expect(model.jobs.map(({ config }) => config.scheduler)).toEqual(['s_1', 's_2', null]);
  });

  it.each([
    ['num_gpus: 8', '"s" has 2 GPUs, and 8 are needed'],
    ['num_cpus: 5', '"s" has 4 CPUs, and 5 are needed'],
    ['memory: 9g', '"s" has 8g of memory, and 9g are needed'],
    ['num_nodes: 2', '"s" has 1 node, and 2 are needed'],
    ['runtime: 1h', '"s" leaves 59m30s for a job, and 1h00m are needed'],
  ])('that can never run a job with %s gives a warning', (needs, reason) => {
    const spec = (needed: string) =>
      `slurm_schedulers: [{name: s, ntasks_per_node: 4, mem: 8G, gres: "gpu:2", walltime: 60}]\njobs: [{name: a, command: x, resource_requirements: {${needed}}}, {name: b, command: x, resource_requirements: {${needed}}}]`;
    expect(warningsOf(spec(needs))).toEqual([
      `flow.yaml:2:8: jobs[0]: no scheduler fits "a" and 1 more: ${reason}`,
    ]);
    expect(warningsOf(spec('num_gpus: 2, num_cpus: 4, memory: 8g, runtime: 59m'))).toEqual([]);
  });

  it('is looked at alone where a job names it or has its label, and all of them otherwise', () => {
    const spec = (job: string) =>
      `slurm_schedulers: [{name: small}, {name: big, gres: "gpu:8"}]\njobs: [{name: a, command: x, resource_requirements: {num_gpus: 8}${job}}]`;
    expect(warningsOf(spec(''))).toEqual([]);
    expect(warningsOf(spec(', scheduler: big'))).toEqual([]);
    expect(warningsOf(spec(', scheduler: small'))).toHaveLength(1);
    expect(warningsOf(spec(', labels: ["slurm:small"]'))).toHaveLength(1);
    expect(warningsOf(spec(', labels: ["slurm:nope"]'))).toEqual([
      expect.stringContaining('no scheduler has the labels of "a"'),
    ]);
  });
});

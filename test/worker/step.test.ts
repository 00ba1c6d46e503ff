import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { stepOptions } from '../../src/worker/execute/step-options.ts';
import { claimOf } from './claims.ts';
import { ServiceWorld, until } from './service-world.ts';

const STEP = { mpi: null, cpu_bind: false, signal: null };

/**
 * Stands for srun, as it was measured: the task is not its child, output goes to the files that it is given, SIGTERM
 * kills the task at once, and how the task ended is said on stderr.
 */
const SRUN = `#!/bin/bash
declare -a options
while [[ $1 == --* ]]; do
  options+=("$1")
  case $1 in --output=*) out=\${1#*=} ;; --error=*) err=\${1#*=} ;; esac
  shift
done
printf '%s\\n' "\${options[@]}" > "$(dirname "$0")/options"
if [ -e "$(dirname "$0")/refuse" ]; then echo "srun: error: Unable to create step" >&2; exit 1; fi
task=$(setsid bash -c 'trap : TERM; out=$1; err=$2; shift 2; "$@" >> "$out" 2>> "$err" & echo $! > "$out.pid"
  while kill -0 $!; do wait $!; done; wait $!; echo $? > "$out.new"; mv "$out.new" "$out.rc"' - "$out" "\${err:-$out}" "$@" < /dev/null > /dev/null 2>&1 & echo $!)
trap 'kill -KILL $(cat "$out.pid"); echo "srun: forcing job termination" >&2' TERM
until [ -e "$out.rc" ]; do sleep 0.02; done
rc=$(cat "$out.rc")
rm -f "$out.rc" "$out.pid"
[ "$rc" = 0 ] || echo "srun: error: n1: task 0: $([ "$rc" = 139 ] && echo Segmentation fault || echo Exited with exit code $rc)" >&2
exit "$rc"
`;

let bin: string;

/** A world whose launchers find the srun above. */
async function worldWithSrun(context: Parameters<typeof ServiceWorld.make>[0]): Promise<ServiceWorld> {
  const world = await ServiceWorld.make(context);
  bin = join(world.dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'srun'), SRUN);
  chmodSync(join(bin, 'srun'), 0o755);
  const path = process.env.PATH!;
  process.env.PATH = `${bin}${delimiter}${path}`;
  context.onTestFinished(() => {
    process.env.PATH = path;
  });
  return world;
}

beforeEach(() => {
  bin = '';
});

test('a job that is to be a step is one, with what it needs', () => {
  const claim = claimOf({
    job_name: 'train',
    config: { step: { mpi: 'pmix', cpu_bind: false, signal: 'TERM@120' }, timeout_ms: 90_000 },
    requirement: {
      name: null,
      cpus: 2.5,
      memory_bytes: 100 * 1024 * 1024 + 1,
      gpus: 1,
      nodes: 2,
      resources: {},
      labels: [],
      runtime_ms: null,
    },
  });
  expect(stepOptions(claim, { node: 'n1' })).toEqual([
    '--job-name=train',
    '--nodes=2',
    '--ntasks=2',
    '--cpus-per-task=3',
    '--mem=101M',
    '--gpus-per-node=1',
    '--exact',
    '--overlap',
    '--wait=0',
    '--kill-on-bad-exit=0',
    '--export=ALL',
    '--mpi=pmix',
    '--cpu-bind=none',
    '--signal=TERM@120',
    '--time=2',
  ]);
  const plain = stepOptions(claimOf({ config: { step: { ...STEP, cpu_bind: true } } }), { node: 'n1' });
  expect(plain).toContain('--nodelist=n1');
  expect(plain).toContain('--mem=0');
  expect(plain).not.toContain('--cpu-bind=none');
  expect(stepOptions(claimOf({}), { node: 'n1' })).toBeNull();
});

test('steps end as their commands do, and their logs have nothing of srun', async (context) => {
  const world = await worldWithSrun(context);
  await world.submit(
    [
      { name: 'good', command: 'echo out; echo err >&2' },
      { name: 'three', command: 'echo bad >&2; exit 3' },
      { name: 'signal', command: 'kill -SEGV $$' },
      { name: 'strict', command: 'false | cat', shell: 'strict' },
      { name: 'other', command: 'process.exitCode = 5', shell: ['node', '-e'] },
    ],
    {},
    true,
    asStep,
  );
  world.worker({ steps: { node: 'n1' } });
  await world.complete();
  const ends = (await world.attempts()).map(({ job_name, outcome }) => [
    job_name,
    outcome!.exit_code,
    outcome!.signal,
  ]);
  expect(ends.sort()).toEqual([
    ['good', 0, null],
    ['other', 5, null],
    ['signal', null, 'SIGSEGV'],
    ['strict', 1, null],
    ['three', 3, null],
  ]);
  const log = async (job: string, stream: 'stdout' | 'stderr') =>
    Buffer.from((await world.engine.readLog(1, { job, stream })).data).toString();
  expect([await log('good', 'stdout'), await log('good', 'stderr'), await log('three', 'stderr')]).toEqual([
    'out\n',
    'err\n',
    'bad\n',
  ]);
  expect(world.lines('bin/options')).toContain('--nodelist=n1');
});

test('a step that takes too long has its grace, although srun would kill it', async (context) => {
  const world = await worldWithSrun(context);
  await world.submit(
    [
      {
        name: 'job',
        command: `trap 'echo saved > saved; exit 0' TERM; while :; do sleep 0.05; done`,
        timeout: '1s',
      },
    ],
    {},
    true,
    asStep,
  );
  world.worker({ steps: { node: 'n1' }, graceMs: 30_000 });
  await world.complete();
  expect(await world.attempts()).toMatchObject([{ cause: 'timeout' }]);
  expect(world.lines('saved')).toEqual(['saved']);
});

test('a step that ignores its signal is killed with all it has', async (context) => {
  const world = await worldWithSrun(context);
  await world.submit(
    [{ name: 'job', command: `trap '' TERM; echo x >> starts; while :; do sleep 0.05; done` }],
    {},
    true,
    asStep,
  );
  const { worker, ended } = world.worker({ steps: { node: 'n1' }, graceMs: 100 });
  await until('the job has begun', () => world.lines('starts').length === 1);
  worker.stop();
  await ended;
  expect(world.jobProcesses()).toEqual([]);
  expect(await world.attempts()).toMatchObject([{ cause: 'stopped' }]);
});

test('a step that cannot be made is not blamed on the command', async (context) => {
  const world = await worldWithSrun(context);
  writeFileSync(join(bin, 'refuse'), '');
  await world.submit([{ name: 'job', command: 'true' }], {}, true, asStep);
  world.worker({ steps: { node: null } });
  await world.complete();
  expect((await world.attempts())[0]).toMatchObject({
    cause: 'spawn',
    outcome: { spawn_error: 'srun: Unable to create step' },
  });
});

test('outside of an allocation the same job is started directly', async (context) => {
  const world = await worldWithSrun(context);
  await world.submit([{ name: 'job', command: 'true' }], {}, true, asStep);
  world.worker();
  await world.complete();
  expect(await world.attempts()).toMatchObject([{ state: 'SUCCEEDED' }]);
  expect(world.lines('bin/options')).toEqual([]);
});

function asStep(job: { config: object }): void {
  Object.assign(job.config, { step: STEP });
}

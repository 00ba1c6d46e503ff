import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { jobsWorld, makeWorld, type World } from './world.ts';

const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));
const MIB = 1024 ** 2;

describe.concurrent('large things', () => {
  test('200 MB of output reach the log, and the deciding process stays small', async (context) => {
    const world = jobsWorld(context, [{ name: 'loud', command: `yes | head -c ${200 * MIB}` }]);
    const run = world.start('run', 'spec.json');
    let peak = 0;
    const measuring = setInterval(() => {
      peak = Math.max(peak, peakMemory(run.child.pid!));
    }, 20);
    const { code } = await run.ended.finally(() => clearInterval(measuring));
    expect(code).toBe(0);
    const [attempt] = await world.attempts();
    expect(statSync(attempt!.stdout_path).size).toBe(200 * MIB);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(250 * MIB);
  });

  test('a command of 300 KB runs', async (context) => {
    const word = 'x'.repeat(1000);
    const command = `${Array.from({ length: 300 }, (_, i) => `v${i}=${word}`).join('\n')}\necho "\${#v299} \${v0:0:3}"`;
    expect(command.length).toBeGreaterThan(300_000);
    const world = jobsWorld(context, [{ name: 'long', command }]);
    expect(await world.run('run', 'spec.json')).toMatchObject({ code: 0 });
    expect((await world.run('logs', 'long')).stdout).toBe('1000 xxx\n');
  });
});

/** The most memory that a process has had, in bytes; 0 once it is gone. */
function peakMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

describe.concurrent('places that cannot be written', () => {
  test('for logs fail the job with the reason, and nothing else', async (context) => {
    const world = jobsWorld(context, [
      {
        name: 'job',
        command: 'echo run >> runs',
        retry: { max_retries_failure: 1_000, initial_retry_delay_ms: 200, max_retry_delay_ms: 200 },
      },
    ]);
    world.write('output', 'a file, not a directory');
    const run = world.start('run', 'spec.json');
    await world.jobWhich('it has failed', (job) => job.failure_count > 0);
    const [attempt] = await world.attempts();
    expect(attempt).toMatchObject({ state: 'FAILED', cause: 'spawn', category: 'infrastructure' });
    expect(attempt!.error).toContain(
      `could not be started: cannot make the directory ${join(world.dir, 'output/job_stdio')}`,
    );
    rmSync(join(world.dir, 'output'));
    expect((await run.ended).code).toBe(0);
    expect(world.lines('runs')).toEqual(['run']);
  });

  test.for([
    ['is a file', 'taken'],
    ['lies below a file', 'taken/state'],
  ])('for the state are refused when it %s', async ([, dir], context) => {
    const world = jobsWorld(context, [{ name: 'job', command: 'echo run >> runs' }]);
    world.write('taken', 'something else');
    const run = await world.run('run', 'spec.json', '--dir', dir!);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`error: cannot use ${join(world.dir, dir!)}`);
    expect(run.stderr).toContain('hint: check its permissions and the free space');
    expect(readFileSync(join(world.dir, 'taken'), 'utf8')).toBe('something else');
    expect(world.lines('runs')).toEqual([]);
    expect(existsSync(join(world.dir, 'output'))).toBe(false);
  });
});

/** Runs the program where no file may grow beyond the limit. */
function runWithFileLimit(world: World, kib: number, ...args: string[]): Promise<number | null> {
  const script = `ulimit -f ${kib}; exec "$@" > shown 2>&1`;
  const child = spawn('bash', ['--norc', '-c', script, 'bash', process.execPath, BIN, ...args], {
    cwd: world.dir,
    env: { ...process.env, ...world.env },
    stdio: 'ignore',
  });
  return new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
}

describe.concurrent('a full disk', () => {
  test('ends a run whose state cannot be saved, says so, and loses nothing', async (context) => {
    const world = jobsWorld(context, [
      { name: 'job_{i}', parameters: { i: '1:60' }, command: 'echo "$HOLDFAST_JOB_NAME" >> runs' },
    ]);
    expect(await runWithFileLimit(world, 750, 'run', 'spec.json')).toBe(1);
    const shown = world.lines('shown').join('\n');
    expect(shown).toContain('error: the state could not be saved');
    expect(shown).toContain('hint: nothing that was reported as done is lost');
    await world.nothingLeft();
    const reportedDone = world.lines('shown').flatMap((line) => /ok\s+(job_\d+)/.exec(line)?.[1] ?? []);
    const done = (await world.jobs()).filter(({ status }) => status === 'completed');
    expect(done.length).toBeLessThan(60);
    expect(done.map(({ name }) => name)).toEqual(expect.arrayContaining(reportedDone));

    expect(await world.run('run', '1')).toMatchObject({ code: 0 });
    expect((await world.status()).counts.completed).toBe(60);
    const runs = world.lines('runs');
    for (const { name } of done) expect(runs.filter((line) => line === name)).toEqual([name]);
  });

  test('kills the job that writes too much, and the others continue', async (context) => {
    const world = jobsWorld(context, [
      { name: 'big', command: `exec head -c ${5 * MIB} /dev/zero` },
      { name: 'small', command: 'echo small' },
    ]);
    expect(await runWithFileLimit(world, 2000, 'run', 'spec.json')).toBe(1);
    expect(await world.attempts('big')).toMatchObject([
      { cause: 'signal', signal: 'SIGXFSZ', match_code: 153 },
    ]);
    expect((await world.jobs()).map(({ name, status }) => [name, status])).toEqual([
      ['big', 'terminated'],
      ['small', 'completed'],
    ]);
  });
});

const FIVE_MISTAKES = `name: mistakes
max_parallel: many
jobs:
  - name: one
    comand: echo
    command: echo one
  - name: two
    command: echo two
    depends_on: [one, tow]
  - name: two
    command: echo again
  - name: three
    command: echo three
    timeout: soon
`;

describe.concurrent('a spec that cannot run', () => {
  test('shows the places of all its mistakes at once', async (context) => {
    const world = makeWorld(context, { 'bad.yaml': FIVE_MISTAKES });
    const run = await world.run('run', 'bad.yaml');
    expect(run.code).toBe(2);
    expect(run.stdout).toBe('');
    const places = run.stderr.split('\n').flatMap((line) => /^bad\.yaml:(\d+):\d+: /.exec(line)?.[1] ?? []);
    expect(places).toEqual(['2', '5', '9', '10', '14']);
    expect(existsSync(join(world.dir, '.holdfast'))).toBe(false);
  });

  test.for([
    [
      'needs more CPUs than there are',
      {},
      { command: 'true', resource_requirements: { num_cpus: 65 } },
      ['job job needs 65 CPUs, but this machine offers 64 CPUs', '--cpus'],
    ],
    [
      'needs more memory than there is',
      {},
      { command: 'true', resource_requirements: { memory: '3g' } },
      ['job job needs', '3g of memory', '2g of memory'],
    ],
    [
      'takes more of a named resource than its limit',
      { limits: { licence: 1 } },
      { command: 'true', resources: { licence: 2 } },
      ['spec.json:1:', 'licence'],
    ],
    [
      'reads a file that does not exist and that no job writes',
      {},
      { command: 'cat data/in.csv', input_files: ['data/in.csv'] },
      ['job job: the input data/in.csv does not exist, and no job writes it', '--force'],
    ],
  ] as const)('because it %s creates nothing', async ([, workflow, job, words], context) => {
    const world = jobsWorld(context, [{ name: 'job', ...job }], workflow);
    const run = await world.run('run', 'spec.json', '--cpus', '64', '--memory', '2g');
    expect(run.code).toBe(2);
    for (const word of words) expect(run.stderr).toContain(word);
    expect(existsSync(join(world.dir, '.holdfast'))).toBe(false);
    expect(existsSync(join(world.dir, 'output'))).toBe(false);
  });

  test('without an input is run with --force', async (context) => {
    const world = jobsWorld(context, [{ name: 'job', command: 'true', input_files: ['data/in.csv'] }]);
    expect((await world.run('run', 'spec.json')).code).toBe(2);
    expect((await world.run('run', 'spec.json', '--force')).code).toBe(0);
    const again = await world.run('run', '1', '--force');
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('--force: applies to a spec only');
  });
});

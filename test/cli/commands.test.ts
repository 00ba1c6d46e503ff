import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeProject, runCli, startCli } from './run-cli.ts';

/** A workflow in which one job recovers, one fails for good and one is canceled because of it. */
const MIXED = {
  name: 'mixed',
  jobs: [
    { name: 'fine', command: 'echo "it works"; echo "a note" >&2' },
    {
      name: 'flaky',
      command: 'echo "attempt $HOLDFAST_ATTEMPT_ID"; [ "$HOLDFAST_ATTEMPT_ID" -ge 2 ]',
      retry: { max_retries_failure: 2, initial_retry_delay_ms: 10 },
    },
    { name: 'broken', command: 'printf "one\\ntwo\\nthe reason\\n" >&2; exit 7' },
    { name: 'after_broken', command: 'true', depends_on: ['broken'] },
  ],
};

describe('after a run in which a job recovers and one fails', () => {
  let cwd: string;
  let ran: Awaited<ReturnType<typeof runCli>>;
  const cli = (...args: string[]) => runCli(args, { cwd });
  const json = async (...args: string[]) => JSON.parse((await cli(...args, '--output', 'json')).stdout);

  beforeAll(async () => {
    cwd = makeProject({ 'mixed.json': MIXED });
    ran = await cli('run', 'mixed.json');
  });

  test('run exits with 1 and tells counts, failures with their stderr, what recovered and what is next', () => {
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^workflow 1 mixed, run 1: failed in /);
    expect(ran.stdout).toContain('completed 2  failed 1  canceled 1');
    expect(ran.stdout).toContain('failed broken: exit 7');
    expect(ran.stdout).toMatch(
      / {2}stderr: output\/job_stdio\/job_wf1_j3_r1_a1\.e\n {2}\| one\n {2}\| two\n {2}\| the reason\n/,
    );
    expect(ran.stdout).toContain('1 job recovered: flaky');
    expect(ran.stdout).toContain('next: holdfast explain 1 broken');
  });

  test('run narrates each attempt that ended on stderr', () => {
    expect(ran.stderr).toMatch(/^\d\d:\d\d:\d\d ok {6}fine {2}\d/m);
    expect(ran.stderr).toMatch(/^\d\d:\d\d:\d\d retry {3}flaky {2}exit 1 - retry 1 of 2 after 10ms$/m);
    expect(ran.stderr).toMatch(/^\d\d:\d\d:\d\d failed {2}broken {2}exit 7/m);
    expect(ran.stderr).toMatch(/^\d\d:\d\d:\d\d cancel {2}after_broken {2}/m);
  });

  test('run ID of a complete workflow runs nothing again and exits as it ended', async () => {
    const before = await json('attempts', '1');
    const again = await cli('run', '1');
    expect(again.code).toBe(1);
    expect(again.stdout).toContain('failed broken: exit 7');
    expect(await json('attempts', '1')).toEqual(before);
  });

  test('status lists workflows and shows one in all outputs', async () => {
    expect((await cli('status')).stdout).toMatch(/^ 1 {2}mixed {2}failed +1 +4 +4 +1 {2}\d/m);
    expect((await cli('status', '--output', 'quiet')).stdout).toBe('1\n');
    expect((await cli('status', '1', '--output', 'quiet')).stdout).toBe('failed\n');
    expect((await cli('status', '1')).stdout).toMatch(/^workflow 1 mixed, run 1: failed in /);
    expect(await json('status', '1')).toMatchObject({
      complete: true,
      exit_code: 1,
      workflow: { name: 'mixed' },
    });
    expect(await json('status')).toHaveLength(1);
  });

  test('jobs lists, filters and may leave the workflow out', async () => {
    expect((await cli('jobs', '--output', 'quiet')).stdout).toBe('fine\nflaky\nbroken\nafter_broken\n');
    expect((await cli('jobs', '1', '--status', 'failed,canceled', '--output', 'quiet')).stdout).toBe(
      'broken\nafter_broken\n',
    );
    expect((await cli('jobs', '1', '--name', 'fl', '--output', 'quiet')).stdout).toBe('flaky\n');
    expect((await cli('jobs', '1')).stdout).toMatch(/ 2 {2}flaky +completed +2 +1 +0 /);
    expect((await json('jobs', '1')).map((job: { status: string }) => job.status)).toEqual([
      'completed',
      'completed',
      'failed',
      'canceled',
    ]);
  });

  test('attempts lists all, or those of one job with or without the workflow', async () => {
    expect((await json('attempts', '1')).length).toBe(4);
    expect((await cli('attempts', '1', 'flaky', '--output', 'quiet')).stdout).toBe(
      'flaky r1 a1\nflaky r1 a2\n',
    );
    expect((await cli('attempts', 'flaky', '--output', 'quiet')).stdout).toBe('flaky r1 a1\nflaky r1 a2\n');
    expect((await cli('attempts', '1', 'broken')).stdout).toMatch(/broken +1 +1 {2}FAILED +exit 7/);
    expect(await json('attempts', '1', '--run', '9')).toEqual([]);
  });

  test('events is the audit trail', async () => {
    const events: { type: string; job_name: string | null }[] = await json('events', '1');
    expect(events[0]!.type).toBe('workflow_created');
    expect(events.filter(({ job_name }) => job_name === 'flaky').map(({ type }) => type)).toEqual([
      'retry',
      'completed',
    ]);
    expect((await cli('events', '1', '--job', 'broken')).stdout).toMatch(/ failure +broken +1 /);
    expect((await cli('events', '1', '--output', 'quiet')).stdout.trim().split('\n')).toHaveLength(
      events.length,
    );
  });

  test('explain tells why', async () => {
    const { stdout } = await cli('explain', 'broken');
    expect(stdout).toMatch(/^broken \(job 3, run 1\): failed\nfailed: exit 7/);
    expect(stdout).toContain('max_retries_failure is 0');
    expect((await cli('explain', '1', 'flaky', '--output', 'quiet')).stdout).toBe('completed\n');
    expect((await json('explain', '1', 'after_broken')).job.status).toBe('canceled');
  });

  test('logs prints the newest attempt, or the one asked for, byte by byte', async () => {
    expect((await cli('logs', '1', 'fine')).stdout).toBe('it works\n');
    expect((await cli('logs', 'fine', '--stderr')).stdout).toBe('a note\n');
    expect((await cli('logs', '1', 'flaky')).stdout).toBe('attempt 2\n');
    expect((await cli('logs', '1', 'flaky', '--attempt', '1')).stdout).toBe('attempt 1\n');
    expect((await cli('logs', '1', 'broken', '--stderr', '--tail', '2')).stdout).toBe('two\nthe reason\n');
    expect((await cli('logs', '1', 'fine', '-f')).stdout).toBe('it works\n');
    expect(await json('logs', '1', 'fine')).toMatchObject({
      text: 'it works\n',
      attempt: { job_name: 'fine' },
    });
  });

  test('logs with --output quiet tells where the log is', async () => {
    expect((await cli('logs', '1', 'fine', '--output', 'quiet')).stdout).toBe(
      `${join(cwd, 'output/job_stdio/job_wf1_j1_r1_a1.o')}\n`,
    );
  });

  test('logs of a job without an attempt, or of an attempt that never was, is refused', async () => {
    const none = await cli('logs', '1', 'after_broken');
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('error: job after_broken has not been started yet');
    const wrong = await cli('logs', '1', 'fine', '--attempt', '5');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('job fine has no attempt 5 in run 1; its newest is 1');
  });

  test('graph draws the stored workflow with its statuses', async () => {
    expect((await cli('graph', '1')).stdout).toBe(
      'mixed\n  fine [completed]\n  flaky [completed]\n  broken [failed]\n  after_broken [canceled] <- broken\n',
    );
    expect((await json('graph', '1')).jobs[3]).toEqual({
      name: 'after_broken',
      status: 'canceled',
      depends_on: ['broken'],
    });
  });

  test('cancel of a complete workflow changes nothing', async () => {
    expect(await json('cancel', '1')).toEqual({ workflow_id: 1, dry_run: false, canceled: [], stopping: [] });
    const obvious = await cli('cancel');
    expect(obvious.code).toBe(2);
    expect(obvious.stderr).toContain('every workflow is complete');
  });

  test('unknown workflows and jobs are refused with the way out', async () => {
    const workflow = await cli('status', '77');
    expect(workflow).toMatchObject({ code: 2, stdout: '' });
    expect(workflow.stderr).toBe(
      'error: there is no workflow 77\nhint: `holdfast status` lists the workflows that there are\n',
    );
    const job = await cli('explain', '1', 'nobody', '--output', 'json');
    expect(job.code).toBe(2);
    expect(JSON.parse(job.stderr)).toEqual({
      error: {
        code: 'JOB_NOT_FOUND',
        message: 'workflow 1 has no job nobody',
        hint: '`holdfast jobs 1` lists its jobs',
      },
    });
  });
});

describe('init', () => {
  test('writes a spec that runs as it is and has a job that recovers', async () => {
    const cwd = makeProject();
    expect(await runCli(['init'], { cwd })).toMatchObject({ code: 0, stdout: 'wrote workflow.yaml\n' });
    const ran = await runCli(['run', 'workflow.yaml'], { cwd });
    expect(ran.stdout).toContain('completed 6');
    expect(ran.stdout).toContain('1 job recovered: flaky');
    expect(ran.code).toBe(0);
  });

  test('never overwrites', async () => {
    const cwd = makeProject({ 'mine.yaml': 'precious' });
    const result = await runCli(['init', 'mine.yaml'], { cwd });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('mine.yaml: exists already');
    expect(readFileSync(join(cwd, 'mine.yaml'), 'utf8')).toBe('precious');
  });
});

describe('a spec with mistakes', () => {
  const spec =
    'name: wrong\njobs:\n  - name: a\n    comand: echo\n  - name: b\n    command: echo\n    depends_on: [c]\n';

  test('is refused by run with every place, and nothing is created', async () => {
    const cwd = makeProject({ 'wrong.yaml': spec });
    const result = await runCli(['run', 'wrong.yaml'], { cwd });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^wrong\.yaml:4:5: jobs\[0\]\.comand: .*did you mean "command"/m);
    expect(result.stderr).toMatch(/^hint: nothing was created/m);
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
    expect(existsSync(join(cwd, 'output'))).toBe(false);
  });

  test('is shown by validate in all outputs', async () => {
    const cwd = makeProject({ 'wrong.yaml': spec });
    const shown = await runCli(['validate', 'wrong.yaml'], { cwd });
    expect(shown.code).toBe(2);
    expect(shown.stdout).toMatch(/wrong\.yaml: 3 problems\n$/);
    const json = await runCli(['validate', 'wrong.yaml', '--output', 'json'], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({
      valid: false,
      problems: [{ line: 3 }, { line: 4, column: 5 }, { line: 7, column: 18 }],
    });
    expect(json.code).toBe(2);
    expect(await runCli(['validate', 'wrong.yaml', '--output', 'quiet'], { cwd })).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  test('that does not exist is told apart from one that is wrong', async () => {
    const cwd = makeProject();
    expect((await runCli(['run', 'nothing.yaml'], { cwd })).stderr).toContain(
      'error: nothing.yaml: there is no such file',
    );
    expect((await runCli(['plan', '.'], { cwd })).stderr).toContain('is a directory');
  });

  test('or features of later versions is refused by run, but validates', async () => {
    const cwd = makeProject({
      'later.json': { name: 'later', resource_monitor: {}, jobs: [{ name: 'a', command: 'true' }] },
    });
    const run = await runCli(['run', 'later.json'], { cwd });
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/this version cannot run the resource monitor .*resource_monitor/);
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
    const validated = await runCli(['validate', 'later.json'], { cwd });
    expect(validated.code).toBe(0);
    expect(validated.stdout).toContain('later.json: valid, workflow later with 1 job');
  });
});

describe('run', () => {
  test('refuses a job that could never fit before anything is created', async () => {
    const cwd = makeProject({
      'big.json': {
        name: 'big',
        jobs: [{ name: 'huge', command: 'true', resource_requirements: { num_cpus: 8 } }],
      },
    });
    const result = await runCli(['run', 'big.json', '--cpus', '2'], { cwd });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/error: job huge needs 8 CPUs.* offers 2 CPUs/);
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('with --dry-run prints the plan and creates nothing', async () => {
    const cwd = makeProject({ 'mixed.json': MIXED });
    const result = await runCli(['run', 'mixed.json', '--dry-run'], { cwd });
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('workflow mixed: 4 jobs in 2 waves');
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('prints one JSON object at its end, or only the id', async () => {
    const cwd = makeProject({ 'one.json': { name: 'one', jobs: [{ name: 'a', command: 'true' }] } });
    const json = await runCli(['run', 'one.json', '--output', 'json'], { cwd });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({ complete: true, exit_code: 0, counts: { completed: 1 } });
    expect(await runCli(['run', 'one.json', '--output', 'quiet'], { cwd })).toEqual({
      code: 0,
      stdout: '2\n',
      stderr: '',
    });
  });

  test('keeps its state where --dir or HOLDFAST_DIR says, and tells the next command with it', async () => {
    const cwd = makeProject({ 'bad.json': { name: 'bad', jobs: [{ name: 'a b', command: 'false' }] } });
    const flag = await runCli(['run', 'bad.json', '--dir', 'state', '--output-dir', 'logs'], { cwd });
    expect(flag.stdout).toContain("next: holdfast explain 1 'a b' --dir state");
    expect(existsSync(join(cwd, 'state/holdfast.db'))).toBe(true);
    expect(existsSync(join(cwd, 'logs/job_stdio/job_wf1_j1_r1_a1.e'))).toBe(true);
    const environment = await runCli(['status', '--output', 'quiet'], {
      cwd,
      env: { HOLDFAST_DIR: 'state' },
    });
    expect(environment.stdout).toBe('1\n');
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('fills retries in from the configuration', async () => {
    const cwd = makeProject({ 'bad.json': { name: 'bad', jobs: [{ name: 'a', command: 'false' }] } });
    mkdirSync(join(cwd, '.holdfast'));
    writeFileSync(
      join(cwd, '.holdfast/config.yaml'),
      'default_max_retries_failure: 2\ndefault_retry_delay_ms: 1\n',
    );
    await runCli(['run', 'bad.json'], { cwd });
    const attempts = await runCli(['attempts', '1', '--output', 'quiet'], { cwd });
    expect(attempts.stdout).toBe('a r1 a1\na r1 a2\na r1 a3\n');
  });

  test('thins the lines of a large workflow, but tells every failure', async () => {
    const jobs = [
      { name: 'ok_{i}', command: 'true', parameters: { i: '1:210' } },
      { name: 'bad', command: 'exit 3' },
    ];
    const cwd = makeProject({ 'many.json': { name: 'many', jobs } });
    const result = await runCli(['run', 'many.json'], { cwd });
    expect(result.code).toBe(1);
    expect(result.stderr).not.toMatch(/ ok {6}/);
    expect(result.stderr).toMatch(/ failed {2}bad {2}exit 3/);
    expect(result.stderr).toMatch(/100% {2}211 of 211 jobs ended, 1 failed/);
  });

  test('takes a spec from stdin and from files without a known extension', async () => {
    const cwd = makeProject({ spec: 'name: bare\njobs:\n  - {name: a, command: "true"}\n' });
    expect((await runCli(['run', 'spec'], { cwd })).code).toBe(0);
    const input = 'name: piped\njobs:\n  - {name: a, comand: "true"}\n';
    const piped = await runCli(['run', '-'], { cwd, input });
    expect(piped.code).toBe(2);
    expect(piped.stderr).toContain('<stdin>:3:');
  });
});

describe('config show', () => {
  test('tells the origin of each value', async () => {
    const cwd = makeProject();
    mkdirSync(join(cwd, '.holdfast'));
    writeFileSync(join(cwd, '.holdfast/config.yaml'), '# ours\ngrace: 3s\n');
    const { stdout, code } = await runCli(['config', 'show', '--cpus', '3'], {
      cwd,
      env: { HOLDFAST_MAX_PARALLEL: '2' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cpus +3 +flag --cpus$/m);
    expect(stdout).toMatch(/^max_parallel +2 +environment HOLDFAST_MAX_PARALLEL$/m);
    expect(stdout).toMatch(/^grace +3s +file \S+\.holdfast\/config\.yaml:2$/m);
    expect(stdout).toMatch(/^gpus +0 +default$/m);
  });

  test('refuses a file with unknown keys', async () => {
    const cwd = makeProject();
    mkdirSync(join(cwd, '.holdfast'));
    writeFileSync(join(cwd, '.holdfast/config.yaml'), 'grce: 3s\n');
    const { stderr, code } = await runCli(['status'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/config\.yaml:1: unknown key grce; did you mean "grace"\?\nhint: /);
  });
});

describe('the command line', () => {
  test('answers --version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await startCli(['--version'], { cwd: makeProject() }).ended).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  test('has a help with a line and examples for every command', async () => {
    const cwd = makeProject();
    const { stdout, code } = await runCli(['help'], { cwd });
    expect(code).toBe(0);
    const { COMMANDS } = await import('../../src/cli/command-table.ts');
    for (const { usage, summary, examples } of COMMANDS) {
      expect(stdout).toMatch(new RegExp(`^ {2}${usage.split(' ')[0]} .*${quoted(summary)}$`, 'm'));
      expect(examples.length).toBeGreaterThan(0);
    }
    const run = await runCli(['help', 'run'], { cwd });
    expect(run.stdout).toMatch(/Examples:\n {2}holdfast run workflow\.yaml/);
  });

  test.each([
    [['statsu'], /unknown command 'statsu'\n\(Did you mean status\?\)/],
    [['run', 'x', '--dryrun'], /unknown option '--dryrun'\n\(Did you mean --dry-run\?\)/],
    [['run'], /missing required argument 'spec-or-id'/],
    [['status', '1', '2'], /too many arguments/],
    [['status', 'x'], /x: is not the number of a workflow/],
    [['jobs', '1', '--status', 'faild'], /no job status is called faild; did you mean "failed"\?/],
    [['logs', '1', 'a', '--tail', '-3'], /--tail: must be a whole number/],
    [['run', 'x', '--cpus', 'many'], /--cpus: cpus must be a number above 0/],
    [['graph', 'one.json', '--format', 'svg'], /--format: must be mermaid, dot, text, not svg/],
    [['config', 'hide'], /there is no action hide/],
    [['status', '--output', 'xml'], /--output: output must be table or json or quiet/],
  ])('refuses %j with exit 2 and says what is wrong', async (args, message) => {
    const cwd = makeProject({ 'one.json': { name: 'one', jobs: [{ name: 'a', command: 'true' }] } });
    if (['status', 'jobs', 'logs'].includes(args[0]!)) await runCli(['run', 'one.json'], { cwd });
    const result = await runCli(args, { cwd });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
  });

  test('tells a wrong option as JSON where JSON was asked for', async () => {
    const result = await runCli(['status', '--bogus', '--output', 'json'], { cwd: makeProject() });
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 'INVALID_ARGUMENT' } });
    expect(result.code).toBe(2);
  });

  test('without any state says where to go', async () => {
    const { stderr, code } = await runCli(['status'], { cwd: makeProject() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/error: there is no Holdfast state at .*\nhint: go to the directory/);
  });

  test('prints the JSON Schema', async () => {
    const { stdout } = await runCli(['schema'], { cwd: makeProject() });
    expect(JSON.parse(stdout)).toHaveProperty('$schema');
  });

  test('examines the machine with doctor, and leaves nothing behind', async () => {
    const cwd = makeProject();
    const { stdout } = await runCli(['doctor', '--output', 'json'], { cwd });
    const checks: { name: string; result: string }[] = JSON.parse(stdout);
    expect(checks.map(({ name }) => name)).toEqual([
      'node',
      'bash',
      'sqlite',
      'state directory',
      'disk space',
      'clock',
      'open files',
      'processes',
    ]);
    expect(checks.find(({ name }) => name === 'sqlite')!.result).toBe('ok');
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });
});

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

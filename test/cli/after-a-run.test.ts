import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { MIXED } from './mixed-spec.ts';
import { makeProject, runCli } from './run-cli.ts';

describe('after a run in which a job recovers and one fails', () => {
  let cwd: string;
  let ran: Awaited<ReturnType<typeof runCli>>;
  const cli = (...args: string[]) => runCli(args, { cwd });
  const json = async (...args: string[]) => JSON.parse((await cli(...args, '--output', 'json')).stdout);

  beforeAll(async () => {
    cwd = makeProject({ 'mixed.json': { ...MIXED, variables: { word: 'none' } } });
    ran = await cli('run', 'mixed.json', '--set', 'word=the reason');
  });

  test('run exits with 1 and prints counts, failures with their stderr, what recovered and what is next', () => {
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^workflow 1 mixed, run 1: failed in /);
    expect(ran.stdout).toContain('completed 2  failed 1  canceled 1');
    expect(ran.stdout).toContain('failed broken: exit 7');
    expect(ran.stdout).toMatch(
      / {2}stderr: output\/job_stdio\/job_wf1_j3_r1_a1\.e\n {2}\| one\n {2}\| two\n {2}\| the reason\n/,
    );
    expect(ran.stdout).toContain('1 job recovered: flaky');
    expect(
      ran.stdout
        .split('\nnext: ')[1]!
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ['holdfast explain 1 broken', 'why it failed'],
      ['holdfast retry 1 broken', 'try it again as it is'],
      ["holdfast run mixed.json --set 'word=the reason' --continue 1", 'after a fix in the spec'],
      [''],
    ]);
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
    expect(again.stdout.split('\nnext: ')[1]).toBe(ran.stdout.split('\nnext: ')[1]);
    expect(await json('attempts', '1')).toEqual(before);
  });

  test('resolve says that nothing waits for a decision', async () => {
    expect(await cli('resolve', '1')).toMatchObject({
      code: 0,
      stderr: 'workflow 1: nothing waits for a decision\n',
    });
  });

  test('status lists workflows and shows one in all outputs', async () => {
    expect((await cli('status')).stdout).toMatch(/^ 1 {2}mixed {2}failed +1 +4 +4 +1 {2}\d/m);
    expect((await cli('status', '--output', 'quiet')).stdout).toBe('1\n');
    expect((await cli('status', '1', '--output', 'quiet')).stdout).toBe('failed\n');
    expect((await cli('status', '1')).stdout).toMatch(/^workflow 1 mixed, run 1: failed in /);
    expect((await cli('status', '1', '--exit-code')).code).toBe(1);
    expect(await cli('status', '--exit-code')).toMatchObject({ code: 2, stderr: /one workflow; name it/ });
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
    expect((await cli('jobs', '1', '--limit', '2', '--output', 'quiet')).stdout).toBe('fine\nflaky\n');
    expect(await cli('jobs', '1', '--limit', '0')).toMatchObject({ code: 2, stderr: /at least 1, not 0/ });
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

  test('logs prints both streams, or the last error of either', async () => {
    const both = await cli('logs', 'broken', '--both');
    expect(both.stdout).toMatch(/^==> stdout: .*\.o \(empty\)\n==> stderr: .*\.e\none\ntwo\nthe reason\n$/);
    expect((await json('logs', 'broken', '--both')).logs).toMatchObject([
      { stream: 'stdout', text: '' },
      { stream: 'stderr', text: 'one\ntwo\nthe reason\n' },
    ]);
    const last = await cli('logs', 'broken', '--last-error');
    expect(last.stdout).toBe('one\ntwo\nthe reason\n');
    expect(last.stderr).toContain('no line looks like an error; the end of stderr: ');
    expect(await cli('logs', 'broken', '--last-error', '--both')).toMatchObject({ code: 2 });
  });

  test('watch --output json is a stream, which ends with the result', async () => {
    const { stdout, code } = await cli('watch', '1', '--output', 'json');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(1);
    expect(lines.map((line) => Object.keys(line))).toEqual([['result']]);
    expect(lines[0].result.workflow.id).toBe(1);
  });

  test('explain says why', async () => {
    const { stdout } = await cli('explain', 'broken');
    expect(stdout).toMatch(/^broken \(job 3, run 1\): failed\nfailed: exit 7/);
    expect(stdout).toContain('\n  | the reason\n');
    expect(stdout).not.toContain('max_retries_failure is 0');
    expect((await cli('explain', 'broken', '--all')).stdout).toContain('max_retries_failure is 0');
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

  test('logs with --output quiet prints where the log is', async () => {
    expect((await cli('logs', '1', 'fine', '--output', 'quiet')).stdout).toBe(
      `${join(cwd, 'output/job_stdio/job_wf1_j1_r1_a1.o')}\n`,
    );
  });

  test('logs of a job without an attempt, or of an attempt that never was, is refused', async () => {
    const none = await cli('logs', '1', 'after_broken');
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain(
      'error: job after_broken was not started\nhint: `holdfast explain 1 after_broken` shows why\n',
    );
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
    expect(await json('cancel', '1')).toEqual({
      workflow_id: 1,
      dry_run: false,
      canceled: [],
      stopping: [],
      actions: [],
    });
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
    for (const misspelled of [
      ['explain', 'flakey'],
      ['explain', '1', 'flakey'],
      ['logs', 'flakey'],
    ]) {
      expect((await cli(...misspelled)).stderr).toContain('has no job flakey; did you mean "flaky"?\n');
    }
  });
});

import { describe, expect, test } from 'vitest';
import { makeProject, runCli } from './run-cli.ts';

/** unit fails twice and build once; what is to be seen of that is the same in every project. */
const SPEC = `
name: routed
routing: { env: [ROUTE_MODE, DEPLOY_TOKEN] }
steps:
  setup: { exec: echo ready }
  unit:
    exec: '[ "$HOLDFAST_ATTEMPT_ID" -gt 2 ] || { echo "module not found" >&2; exit 1; }'
    on_fail:
      retry: { max: 1, backoff: { delay_ms: 10 } }
      goto_js: |
        return error.stderr.includes('module') && env.DEPLOY_TOKEN ? 'setup' : null;
  build:
    exec: test -e fixed
    on_fail: { run: [lint-fix], retry: { max: 1, backoff: { delay_ms: 10 } } }
  lint-fix: { exec: touch fixed }
`;
const ITEMS = `
name: items
steps:
  list: { exec: 'echo "[1, 2]"', forEach: true }
  p: { exec: 'test "{{ outputs.list }}" != 2', depends_on: [list] }
`;
const env = { DEPLOY_TOKEN: 'hunter22' };
const project = () => makeProject({ 'routed.yaml': SPEC, 'items.yaml': ITEMS });
const withoutTimes = (text: string) =>
  text.replace(/\b\d\d:\d\d:\d\d\b/g, 'hh:mm:ss').replace(/\b[\d.]+ ?m?s\b/g, 'T');

describe('the summary of a run', () => {
  test('shows the routes in order, and which jobs recovered by them', async () => {
    const { code, stdout } = await runCli(['run', 'routed.yaml'], { cwd: project(), env });
    expect(code).toBe(0);
    expect(withoutTimes(stdout).split('\n').slice(1)).toEqual([
      '  completed 4',
      '',
      'routes, in order:',
      'TIME      STEP   ATTEMPT  ROUTE                 WHY',
      'hh:mm:ss  unit         1  retry                 exit 1 - on_fail: re-attempt 1 of 1 after T',
      'hh:mm:ss  unit         2  goto setup            exit 1 - on_fail: goes back to setup',
      'hh:mm:ss  build        1  retry                 exit 1 - on_fail: lint-fix, then re-attempt 1 of 1 after T',
      'hh:mm:ss  build        1  remediation lint-fix  runs lint-fix before the next attempt of build',
      '',
      '2 jobs recovered: unit, build',
      '',
    ]);
  });

  test('adds with --debug what code saw and said, without secrets, the backoff and the loops', async () => {
    const cwd = project();
    const { stdout } = await runCli(['run', 'routed.yaml', '--debug'], { cwd, env });
    expect(withoutTimes(stdout)).toContain(`on_fail: goes back to setup
          goto_js gave "setup" (T)
            seen: {"attempt":2,"loop":1,"error":{"message":"module not found","code":1,"exitCode":1},"foreach":null,"env":{"DEPLOY_TOKEN":"***"}}
          loops: 2 of 10
`);
    expect(withoutTimes(stdout)).toContain('          backoff: not before hh:mm:ss,');
    const again = await runCli(['run', '1', '--debug'], { cwd });
    expect(again.stdout).toContain('goto_js gave "setup"');
    for (const args of [
      ['events', '1', '--output', 'json'],
      ['attempts', '1', '--output', 'json'],
      ['explain', 'unit'],
    ]) {
      expect((await runCli(args, { cwd })).stdout, args[0]).not.toContain('hunter22');
    }
  });

  test('has all of it as JSON', async () => {
    const { stdout } = await runCli(['run', 'routed.yaml', '--output', 'json'], { cwd: project(), env });
    expect(JSON.parse(stdout)).toMatchObject({
      exit_code: 0,
      trace: [
        { step: 'unit', attempt_id: 1, route: 'retry', loop: 1, evaluations: [{ key: 'goto_js' }] },
        { step: 'unit', attempt_id: 2, route: 'goto', to: ['setup'], loop: 2 },
        { step: 'build', route: 'retry', to: ['lint-fix'], loop: 3, max_loops: 10 },
        { step: 'build', route: 'remediation', to: ['lint-fix'] },
      ],
    });
  });

  test('says nothing of routes where none was taken', async () => {
    const { stdout } = await runCli(['run', 'items.yaml'], { cwd: project() });
    expect(stdout).not.toContain('routes');
  });
});

describe('the flags of run', () => {
  const ended = async (...flags: string[]) => {
    const { code, stdout } = await runCli(['run', 'routed.yaml', ...flags], { cwd: project(), env });
    return { code, stdout };
  };

  test('bound loops and re-attempts, or turn routing off', async () => {
    const bounded = await ended('--on-fail-max-loops', '1');
    expect(bounded.code).toBe(1);
    expect(bounded.stdout).toMatch(/unit +2 +loop_abort +exit 1 - loop_abort: /);
    const capped = await ended('--retry-max', '0');
    expect(capped.stdout).toMatch(/unit +1 +goto setup/);
    const off = await ended('--no-failure-routing');
    expect(off).toMatchObject({ code: 1 });
    expect(off.stdout).toMatch(/failed unit: exit 1 - no retry applies/);
    expect(off.stdout).not.toContain('routes');
  });

  test('give code a context, and say what is wrong with a bad one', async () => {
    const cwd = makeProject({
      'context.json': { pr: { number: 7 }, files: ['a.ts'] },
      'bad.json': '{"pr": ',
      'spec.yaml': "steps: { a: { exec: echo ran, if: 'pr.number === 7 && files.length === 1' } }",
    });
    const good = await runCli(['run', 'spec.yaml', '--context', 'context.json'], { cwd });
    expect(good.stdout).toContain('completed 1');
    const bad = await runCli(['run', 'spec.yaml', '--context', 'bad.json'], { cwd });
    expect(bad).toMatchObject({ code: 2, stdout: '' });
    expect(bad.stderr).toMatch(/^error: --context bad\.json: is not valid JSON/);
    const args = ['simulate', 'spec.yaml', '--context', 'context.json'];
    expect((await runCli(args, { cwd })).stdout).toContain('exit code 0 after 1 execution');
    const stored = await runCli(['run', '1', '--retry-max', '1'], { cwd });
    expect(stored).toMatchObject({ code: 2 });
    expect(stored.stderr).toContain('--retry-max: applies to a spec only; workflow 1 keeps what');
  });
});

test('an item is shown and named by its label', async () => {
  const cwd = project();
  const run = await runCli(['run', 'items.yaml'], { cwd });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(' failed  p@list[1]  exit 1');
  expect(run.stdout).toContain("next: holdfast explain 1 'p@list[1]'");
  expect((await runCli(['explain', '1', 'p@list[1]'], { cwd })).stdout).toMatch(
    /^p@list\[1\] \(job \d+, run 1\): failed/,
  );
  expect((await runCli(['status', '1'], { cwd })).stdout).toContain('failure  p@list[1]  attempt 1');
  expect((await runCli(['jobs', '1', '--output', 'quiet'], { cwd })).stdout).toBe(
    'list\np@list[0]\np@list[1]\n',
  );
  expect((await runCli(['attempts', '1', 'p@list[0]', '--output', 'quiet'], { cwd })).stdout).toBe(
    'p@list[0] r1 a1\n',
  );
});

describe('simulate', () => {
  test('plays a workflow with its routes, and runs and stores nothing', async () => {
    const cwd = project();
    const args = [
      'simulate',
      'routed.yaml',
      '--outcome',
      'unit=1:no module x,1:no module x,0',
      '--outcome',
      'build=1,0,9',
    ];
    const { code, stdout } = await runCli([...args, '--duration', '30s'], { cwd, env });
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'workflow routed',
      '',
      ' TIME  STEP      EXECUTION  OUTCOME  VERDICT    ROUTE                 WHY',
      '  0ms  setup             1  exit 0   completed  -                     it succeeded',
      '  30s  unit              1  exit 1   retry      retry                 on_fail: re-attempt 1 of 1 after 10ms',
      '1m00s  unit              2  exit 1   goto       goto setup            on_fail: goes back to setup',
      '1m30s  setup             2  exit 0   completed  -                     it succeeded',
      '2m00s  unit              3  exit 0   completed  -                     it succeeded',
      '2m30s  build             1  exit 1   retry      retry after lint-fix  on_fail: lint-fix, then re-attempt 1 of 1 after 10ms',
      '3m00s  lint-fix          1  exit 0   completed  -                     called by build; it succeeded',
      '3m30s  build             2  exit 0   completed  -                     it succeeded',
      '',
      'exit code 0 after 8 executions, 4m00s',
      'outcomes that were not used: build=9',
      '',
    ]);
    const json = await runCli([...args, '--output', 'json'], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 1, end: 'complete' });
    const quiet = await runCli(['simulate', 'routed.yaml', '--outcome', 'build=1,1', '--output', 'quiet'], {
      cwd,
    });
    expect(quiet.stdout).toBe('1\n');
    const after = await runCli(['status'], { cwd });
    expect(after.stdout + after.stderr).toMatch(/there is no Holdfast state|^no workflows yet\n$/);
  });

  test.each([
    [['routed.yaml', '--outcome', 'biuld=1'], 'the spec has no step biuld; did you mean "build"?'],
    [['routed.yaml', '--outcome', 'build=1', '--job', 'build'], '--outcome: plays the whole workflow'],
    [['items.yaml', '--outcome', 'p=1'], '--step-output: is needed for list, which has forEach'],
  ])('exits with 2 for %j', async (args, message) => {
    const { code, stdout, stderr } = await runCli(['simulate', ...args], { cwd: project() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

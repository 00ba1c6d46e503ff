import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ExecOrder, execSpec } from '../../src/cli/exec/exec-spec.ts';
import { makeProject, runCli } from './run-cli.ts';

const NOTHING = { parameters: [], lines: null, retries: undefined, timeoutMs: undefined };

function commands(words: string[], order: Partial<ExecOrder> = {}): string[] {
  const { jobs } = execSpec({ ...NOTHING, words, ...order }) as { jobs: { command: string }[] };
  return jobs.map(({ command }) => command);
}

describe('the jobs of a command line', () => {
  test.each<[string[], Partial<ExecOrder>, string[]]>([
    [['echo', 'a b', '$x'], {}, ["echo 'a b' '$x'"]],
    [['echo a | cat'], {}, ['echo a | cat']],
    [['echo', '{i}'], { parameters: ['i=1:3'] }, ['echo 1', 'echo 2', 'echo 3']],
    [['echo', '{a}-{b}'], { parameters: ['a=[x,y]', 'b=z'] }, ['echo x-z', 'echo y-z']],
    [['awk', '{print $1} {i}'], { parameters: ['i=1'] }, ["awk '{print $1} 1'"]],
    [['echo', 'x{}y'], { lines: ["it's; rm -rf /"] }, [`echo 'xit'\\''s; rm -rf /y'`]],
    [['echo {}'], { lines: ['$(boom)'] }, ["echo '$(boom)'"]],
    [['echo "{}"'], { lines: ['$(boom)`"'] }, ['echo "\\$(boom)\\`\\""']],
    [["echo 'a{}b'"], { lines: ["it's"] }, [`echo 'ait'\\''sb'`]],
    [['gzip', '-k'], { lines: ['a b'] }, ["gzip -k 'a b'"]],
    [['gzip'], { lines: ['{line}'] }, ["gzip '{line}'"]],
    [['gzip'], { lines: ['{a,b}'] }, ["gzip '{a,b}'"]],
  ])('%j with %j are %j', (words, order, expected) => {
    expect(commands(words, order)).toEqual(expected);
  });

  test.each<[string[], Partial<ExecOrder>, string]>([
    [[], {}, 'needs a command after `--`'],
    [['echo'], { parameters: ['i=1:3'] }, 'does not use {i}'],
    [['echo {i}'], { parameters: ['i'] }, 'must be NAME=VALUES'],
    [['echo {i}'], { parameters: ['i=1', 'i=2'] }, 'i has values already'],
    [['echo {i}'], { parameters: ['i=1:200000'] }, '200000 jobs are more than'],
    [['echo'], { lines: [] }, 'there are no lines'],
    [['bash -c "echo {}"'], { lines: ['$(boom)'] }, 'the value "$(boom)" cannot stand in the command'],
  ])('%j with %j are refused: %s', (words, order, problem) => {
    expect(() => commands(words, order)).toThrow(problem);
  });
});

test('braces without lines stay as they are, which a note says', async () => {
  const ran = await runCli(['exec', '--', 'echo {}'], { cwd: makeProject() });
  expect(ran).toMatchObject({ code: 0, stdout: '{}\n' });
  expect(ran.stderr).toContain(
    'note: {} stays as it is; with --lines there is one job for each line of stdin\n',
  );
});

test('each job prints what it wrote in one piece, and it is a workflow like any other', async () => {
  const cwd = makeProject();
  const script = 'echo {i}a; sleep 0.1; echo {i}b; echo {i}e >&2';
  const ran = await runCli(['exec', '--param', 'i=1:4', '--', script], { cwd });
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/^(\da\n\db\n){4}$/);
  expect(ran.stdout.match(/(\d)a\n\1b\n/g)).toHaveLength(4);
  expect(ran.stderr).toContain('workflow 1: 4 completed\n');
  expect(ran.stderr.match(/^\de$/gm)).toHaveLength(4);
  expect((await runCli(['status', '1'], { cwd })).stdout).toContain('echo');
});

test('retries, times out, and exits as run does', async () => {
  const cwd = makeProject();
  writeFileSync(join(cwd, 'values'), "it's\n\n$HOME\n");
  const lines = await runCli(['exec', '-a', 'values', '-j', '1', '--', 'printf', '%s\n'], { cwd });
  expect(lines).toMatchObject({ code: 0, stdout: "it's\n$HOME\n" });
  const flaky = 'test -e done || { touch done; exit 7; }; echo ok';
  const retried = await runCli(['exec', '--retries', '1', '--', flaky], {
    cwd,
    env: { HOLDFAST_DEFAULT_RETRY_DELAY_MS: '1' },
  });
  expect(retried).toMatchObject({ code: 0, stdout: 'ok\n' });
  const failed = await runCli(['exec', '--timeout', '1s', '--', 'sleep', '60'], { cwd });
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringContaining('`holdfast failures 3` shows why'),
  ]);
  const json = await runCli(['exec', '--output', 'json', '--', 'echo', 'x'], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 0 });
  const server = await runCli(['exec', '--server', 'http://127.0.0.1:1', '--', 'true'], { cwd });
  expect([server.code, server.stderr]).toEqual([2, expect.stringContaining('runs on this machine')]);
});

import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { scripted } from '../client/scripted-server.ts';
import { makeProject, runCli, startCli } from './run-cli.ts';

const BIN = resolve(import.meta.dirname, '../../bin');

const OUTPUTS = ['table', 'json', 'quiet', 'csv'];
const JOBS = ['train_1', 'train_2', 'p@list', 'a:b', 'report'];
const cwd = makeProject({
  'first.json': { name: 'first', jobs: [{ name: 'old', command: 'true' }] },
  'second.json': { name: 'second', jobs: JOBS.map((name) => ({ name, command: 'true' })) },
});

beforeAll(async () => {
  for (const spec of ['first.json', 'second.json'])
    expect((await runCli(['run', spec], { cwd })).code).toBe(0);
});

async function completed(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runCli(['__complete', ...words], { cwd });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]!]));
}

test.each([
  ['commands', ['stat'], ['status']],
  ['commands after a global option', ['--dir', '.holdfast', 'statu'], ['status']],
  ['commands of help', ['help', 'expl'], ['explain']],
  ['options', ['status', '--ex'], ['--exit-code']],
  ['options of every command', ['jobs', '--out'], ['--output']],
  ['values of an option', ['jobs', '--output', 'j'], ['json']],
  ['values after =', ['jobs', '--output=j'], ['--output=json']],
  ['statuses', ['jobs', '--status', 'pending_'], ['pending_failed']],
  ['actions', ['token', ''], ['create', 'list', 'revoke']],
  ['shells', ['completion', 'z'], ['zsh']],
  ['files', ['validate', 'sec'], [':files']],
  ['files or workflows', ['run', ''], ['2', '1', ':files']],
  ['workflows', ['resume', ''], ['2', '1']],
  ['workflows of an option', ['mcp', '--workflow', ''], ['2', '1']],
  ['jobs of the newest workflow', ['logs', 'tr'], ['train_1', 'train_2']],
  ['jobs of a workflow', ['logs', '1', ''], ['old']],
  ['more jobs', ['cancel', '2', 'train_1', 'train_'], ['train_1', 'train_2']],
  ['jobs of an option', ['events', '2', '--job', 're'], ['report']],
  ['jobs of an option with many', ['resolve', '2', '--retry', 'train_1', 'rep'], ['report']],
  ['no worker by the number of a workflow', ['workers', 'drain', ''], []],
  ['nothing for a command that is none', ['nonsense', ''], []],
  ['nothing for text', ['cancel', '--reason', ''], []],
])('it knows %s', async (_, words, expected) => {
  expect(await completed(...words)).toEqual(expected);
});

test('a job is described by its status as screens show it', async () => {
  const waiting = makeProject({ 'spec.json': { name: 'waiting', jobs: [{ name: 'a', command: 'true' }] } });
  await runCli(['run', 'spec.json'], { cwd: waiting });
  await runCli(['reset-status', '1'], { cwd: waiting });
  expect((await runCli(['__complete', 'logs', '1', ''], { cwd: waiting })).stdout).toContain('a\tqueued\n');
});

test.each([
  ['a state that is none', ['logs', '--dir', 'nowhere', '']],
  ['a server that does not answer', ['logs', '--server', 'http://127.0.0.1:9', '']],
  ['a server that is none', ['logs', '--server', 'nonsense', '']],
  ['a workflow that is none', ['logs', '77', '']],
])('%s is no error', async (_, words) => {
  expect(await completed(...words)).toEqual([]);
});

test('a server that never answers is not waited for', async () => {
  const { url } = await scripted(() => {});
  const { code, stdout, stderr } = await startCli(['__complete', 'logs', '--server', url, ''], { cwd }).ended;
  expect([code, stdout, stderr]).toEqual([0, '', '']);
});

test('a shell that is none is refused with those that there are', async () => {
  const { code, stderr } = await runCli(['completion', 'zhs'], { cwd });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('bash, zsh, fish, not zhs; did you mean "zsh"?'),
  ]);
});

describe('in a shell', () => {
  const path = makeProject();
  symlinkSync(join(BIN, 'holdfast.js'), join(path, 'holdfast'));
  const env = { ...process.env, PATH: `${path}:${process.env.PATH}` };

  const inShell = (shell: string, args: string[]) => spawnSync(shell, args, { cwd, env, encoding: 'utf8' });
  const lacks = (shell: string) => inShell(shell, ['-c', 'true']).error !== undefined;

  /** What bash is given for a line, with its words as readline splits them. */
  function inBash(words: string[], line = words.join(' ')): string[] {
    const script = `eval "$(holdfast completion bash)"
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE=$LINE; COMP_POINT=\${#LINE}
      complete -p holdfast >/dev/null || exit 1
      _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...words], {
      cwd,
      env: { ...env, LINE: line },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((each) => each !== '');
  }

  test.each([
    ['names of jobs', ['holdfast', 'logs', 'tra'], 'holdfast logs tra', ['train_1', 'train_2']],
    ['what follows an @', ['holdfast', 'logs', 'p', '@', 'li'], 'holdfast logs p@li', ['list']],
    ['what follows a colon', ['holdfast', 'logs', 'a', ':'], 'holdfast logs a:', ['b']],
    ['what follows a =', ['holdfast', 'jobs', '--output', '='], 'holdfast jobs --output=', OUTPUTS],
    ['names of files', ['holdfast', 'validate', 'sec'], 'holdfast validate sec', ['second.json']],
    ['nothing, without a word', ['holdfast', 'nonsense', ''], 'holdfast nonsense ', []],
  ])('bash completes %s', (_, words, line, expected) => {
    expect(inBash(words, line)).toEqual(expected);
  });

  /** A file with the script of a shell; null where the machine has no such shell. */
  async function scriptOf(shell: string): Promise<string | null> {
    const { stdout } = await runCli(['completion', shell], { cwd });
    expect(stdout).toContain('holdfast __complete');
    if (!lacks(shell)) return join(makeProject({ script: stdout }), 'script');
    console.log(`${shell} is not on this machine: its script is printed, and not run`);
    return null;
  }

  test('zsh accepts its script', async () => {
    const script = await scriptOf('zsh');
    if (script === null) return;
    const { status, stderr } = inShell('zsh', ['-f', '-n', script]);
    expect([status, stderr]).toEqual([0, '']);
  });

  /** The line after the Tab key in an interactive zsh on a terminal of its own. */
  function inZsh(script: string, line: string): string {
    const rc = `PS1=PROMPT; autoload -U compinit; compinit -u -D; source ${script}
      show() { print -r -- "<<$BUFFER>>" }; zle -N show; bindkey '^X' show`;
    const driver = `zmodload zsh/zpty; zpty shell zsh -d -i
      zpty -r shell seen '*PROMPT*'; zpty -w -n shell "$LINE"$'\\t\\x18'
      zpty -r shell seen '*<<*>>*'; print -rn -- "\${\${seen##*<<}%%>>*}"; zpty -d shell`;
    const { stdout } = spawnSync('zsh', ['-f', '-c', driver], {
      cwd,
      env: { ...env, LINE: line, TERM: 'dumb', ZDOTDIR: makeProject({ '.zshrc': rc }) },
      encoding: 'utf8',
      timeout: 60_000,
    });
    return stdout;
  }

  test.each([
    ['names of jobs', 'holdfast logs tra', 'holdfast logs train_'],
    ['a command', 'holdfast expl', 'holdfast explain '],
    ['values of an option', 'holdfast jobs --output j', 'holdfast jobs --output json '],
    ['names of files', 'holdfast validate sec', 'holdfast validate second.json '],
  ])('zsh completes %s', async (_, line, completed) => {
    const script = await scriptOf('zsh');
    if (script !== null) expect(inZsh(script, line)).toBe(completed);
  });

  test('fish completes names of jobs', async () => {
    const script = await scriptOf('fish');
    if (script === null) return;
    const line = `source ${script}; complete -C 'holdfast logs tra'`;
    const { stdout } = inShell('fish', ['--no-config', '-c', line]);
    expect(stdout).toBe('train_1\tcompleted\ntrain_2\tcompleted\n');
  });
});

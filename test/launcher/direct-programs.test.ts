import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { directProgram } from '../../src/worker/launcher/start/direct-program.ts';
import { launcherWorld } from './launcher-world.ts';

const PATH = '/usr/local/bin:/usr/bin:/bin';

describe('a command that is one program', () => {
  test('is started without bash', () => {
    const found = directProgram('sleep 1', '/', { shared: { PATH, PWD: '/' }, own: {} });
    expect(found).toMatchObject({ name: 'sleep', words: ['1'], variables: { PWD: '/', SHLVL: '0' } });
    expect(found!.path).toMatch(/^\/(usr\/)?bin\/sleep$/);
  });

  test.each([
    ['of its own', { BASH_ENV: '/etc/rc' }],
    ['that exports a function', { 'BASH_FUNC_sleep%%': '() { :; }' }],
    ['with the options of bash', { SHELLOPTS: 'xtrace' }],
    ['in which PATH has an empty entry', { PATH: `${PATH}:` }],
    ['without PATH', { PATH: '' }],
  ])('is left to bash in an environment %s', (_, variables) => {
    const shared = { PATH, PWD: '/' };
    expect(directProgram('sleep 1', '/', { shared, own: variables as Record<string, string> })).toBeNull();
    expect(directProgram('sleep 1', '/', { shared: { ...shared, ...variables }, own: {} })).toBeNull();
  });

  test('has the environment and the words that it would have from bash', async () => {
    const world = await launcherWorld();
    const real = join(world.dir, 'real');
    const link = join(world.dir, 'link');
    mkdirSync(real);
    symlinkSync(real, link);
    const print = join(world.dir, 'print');
    writeFileSync(
      print,
      '#!/bin/sh\nprintf "%s\\n" "$0" "$@"; env | grep -v ^_= | sort; readlink /proc/$$/cwd\n',
      {
        mode: 0o755,
      },
    );
    for (const env of [{}, { PWD: link, SHLVL: '3' }, { PWD: '/nowhere', OLDPWD: '/' }]) {
      const printed: string[] = [];
      for (const command of [`${print} a 'b  c' ""`, `exec ${print} a 'b  c' ""`]) {
        const job = world.start(command, { cwd: link, env: { ...env, HOLDFAST_LAUNCHER: '' } });
        expect((await job.ended).outcome).toEqual(outcome({ exit_code: 0 }));
        printed.push(world.stdout(job).replace(/^HOLDFAST_LAUNCHER=.*$/m, ''));
      }
      expect(printed[0]).toBe(printed[1]);
    }
  });

  test('has the exit code and the signal of the program', async () => {
    const world = await launcherWorld();
    expect((await world.run(`sh -c 'exit 7'`)).outcome).toEqual(outcome({ exit_code: 7 }));
    expect((await world.run(`sh -c 'kill -SEGV $$'`)).outcome).toEqual(outcome({ signal: 'SIGSEGV' }));
  });

  test('is looked for as bash does: on the PATH of the job, and from its directory', async () => {
    const world = await launcherWorld();
    const bin = join(world.dir, 'bin');
    mkdirSync(join(bin, 'tool'), { recursive: true });
    writeFileSync(join(world.dir, 'tool'), '#!/bin/sh\necho "mine as $0"\n', { mode: 0o755 });
    for (const [command, name] of [
      ['tool', `${world.dir}/tool`],
      ['./tool', './tool'],
      ['bin/../tool', 'bin/../tool'],
    ]) {
      // A directory of that name is passed over.
      const job = world.start(command!, { env: { PATH: `${bin}:${world.dir}:${PATH}` } });
      expect((await job.ended).outcome.exit_code).toBe(0);
      expect(world.stdout(job)).toBe(`mine as ${name}\n`);
    }
  });
});

describe('bash says what is wrong with', () => {
  test.each<[string, string, number, RegExp]>([
    ['a program that does not exist', 'no-such-program x', 127, /no-such-program: command not found/],
    ['a path that does not exist', './missing', 127, /\.\/missing: No such file or directory/],
    ['a directory', './directory', 126, /\.\/directory: Is a directory/],
    ['a pipe', './pipe', 126, /\.\/pipe: Permission denied/],
    ['a file that is no program', './text', 126, /\.\/text: Permission denied/],
    [
      'a script whose interpreter is missing',
      './orphan',
      126,
      /bad interpreter|cannot execute|required file not found/,
    ],
  ])('%s', async (_, command, code, message) => {
    const world = await launcherWorld();
    mkdirSync(join(world.dir, 'directory'));
    writeFileSync(join(world.dir, 'text'), 'text');
    execFileSync('mkfifo', [join(world.dir, 'pipe')]);
    writeFileSync(join(world.dir, 'orphan'), '#!/no/such/interpreter\n', { mode: 0o755 });
    const stderrPath = join(world.dir, 'both');
    const job = world.start(command, { stdoutPath: stderrPath, stderrPath });
    const { outcome: facts } = await job.ended;
    expect(world.stdout(job)).toMatch(message);
    // 127 before bash 5.2, where the interpreter is missing.
    expect([code, command === './orphan' ? 127 : code]).toContain(facts.exit_code);
  });

  test('nothing: a script without its first line is run by bash', async () => {
    const world = await launcherWorld();
    writeFileSync(join(world.dir, 'plain'), 'echo "$BASH" "$1"\n');
    chmodSync(join(world.dir, 'plain'), 0o755);
    const job = world.start('./plain x');
    expect((await job.ended).outcome.exit_code).toBe(0);
    expect(world.stdout(job)).toMatch(/bash x\n$/);
  });

  test('nothing: a missing directory is named as it is for other commands', async () => {
    const world = await launcherWorld();
    const cwd = join(world.dir, 'nowhere');
    expect((await world.run('sleep 1', { cwd })).outcome.spawn_error).toContain(`cannot run in ${cwd}`);
  });
});

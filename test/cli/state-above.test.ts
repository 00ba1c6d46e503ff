import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SERVER_COMMANDS } from '../../src/cli/command-groups/server-commands.ts';
import { findStateDir } from '../../src/cli/config/find-state-dir.ts';
import { openContext } from '../../src/cli/open-context.ts';
import { makeProject, runCli } from './run-cli.ts';

const SPEC = { name: 'w', jobs: [{ name: 'a', command: 'true' }] };

function project(): { root: string; below: string } {
  const root = makeProject({ '.holdfast/config.yaml': 'max_parallel: 3\n' });
  const below = join(root, 'a/b');
  mkdirSync(below, { recursive: true });
  return { root, below };
}

describe('the state directory', () => {
  test('is the nearest one above', () => {
    const { root, below } = project();
    expect(findStateDir(below, '/nowhere')).toEqual({ path: join(root, '.holdfast'), isAbove: true });
    expect(findStateDir(root, '/nowhere')).toEqual({ path: join(root, '.holdfast'), isAbove: false });
    mkdirSync(join(below, '.holdfast'));
    expect(findStateDir(below, '/nowhere')).toEqual({ path: join(below, '.holdfast'), isAbove: false });
  });

  test('is here where there is none above, or only that of the home directory', () => {
    const { root, below } = project();
    const here = { path: join(below, '.holdfast'), isAbove: false };
    expect(findStateDir(below, root)).toEqual(here);
    expect(findStateDir(below, join(root, 'a'))).toEqual(here);
    const empty = makeProject();
    expect(findStateDir(empty, '/nowhere')).toEqual({ path: join(empty, '.holdfast'), isAbove: false });
  });

  test('is not one where everybody can write, or that only has the name', () => {
    const { root, below } = project();
    const here = { path: join(below, '.holdfast'), isAbove: false };
    chmodSync(root, 0o777);
    expect(findStateDir(below, '/nowhere')).toEqual(here);
    chmodSync(root, 0o755);
    chmodSync(join(root, '.holdfast'), 0o777);
    expect(findStateDir(below, '/nowhere')).toEqual(here);
    mkdirSync(join(root, 'a/.holdfast'));
    chmodSync(join(root, '.holdfast'), 0o700);
    expect(findStateDir(below, '/nowhere')).toEqual({ path: join(root, '.holdfast'), isAbove: true });
  });
});

test('a command below a project uses its state, says so, and runs jobs where it was given', async () => {
  const { root, below } = project();
  writeFileSync(join(below, 'w.json'), JSON.stringify(SPEC));
  const ran = await runCli(['run', 'w.json'], { cwd: below });
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('using the state in ../../.holdfast;')]);
  expect(existsSync(join(root, '.holdfast/holdfast.db'))).toBe(true);
  expect(existsSync(join(below, '.holdfast'))).toBe(false);
  expect(existsSync(join(below, 'output/job_stdio'))).toBe(true);
  const quiet = await runCli(['status', '--output', 'quiet'], { cwd: below });
  expect(quiet).toMatchObject({ stdout: '1\n', stderr: '' });

  const own = await runCli(['run', 'w.json', '--dir', '.holdfast'], { cwd: below });
  expect(own.stderr).not.toContain('using the state');
  expect(existsSync(join(below, '.holdfast/holdfast.db'))).toBe(true);
  const named = await runCli(['status', '--output', 'quiet'], {
    cwd: below,
    env: { HOLDFAST_DIR: '../../.holdfast' },
  });
  expect(named.stdout).toBe('1\n');
});

test('a worker has its state here, so that those of two directories of a project are two', async () => {
  const { root, below } = project();
  const before = process.cwd();
  process.chdir(below);
  try {
    const open = (ownState: boolean) => openContext({ dir: undefined, flags: {}, ownState, list: null });
    expect((await open(true)).stateDir).toBe(join(below, '.holdfast'));
    expect((await open(false)).stateDir).toBe(join(root, '.holdfast'));
  } finally {
    process.chdir(before);
  }
  const worker = SERVER_COMMANDS.find(({ usage }) => usage === 'worker')!;
  expect(worker.ownState).toBe(true);
});

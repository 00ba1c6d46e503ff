import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import type { ReinitializeResult } from '../../src/contract/engine.ts';
import { jobsWorld, type World } from '../e2e/world.ts';

const job = (name: string, inputs: string[]) => ({
  name,
  command: `cat ${inputs.join(' ')} > ${name}.txt; echo ${name} >> order`,
  input_files: inputs,
  output_files: [`${name}.txt`],
});

const PIPELINE = [
  job('prep', ['raw.txt']),
  job('use', ['prep.txt', 'ref.txt']),
  job('other', ['ref.txt']),
  { name: 'last', command: 'echo last >> order', depends_on: ['use'] },
];

const RAW_CHANGED = ['prep: its input raw.txt changed', 'use: prep runs again', 'last: use runs again'];

/** A pipeline that has completed. */
async function completed(context: TestContext, more: object = {}): Promise<World> {
  const world = jobsWorld(context, PIPELINE, more);
  world.write('raw.txt', 'raw');
  world.write('ref.txt', 'ref');
  expect(await world.run('run', 'spec.json')).toMatchObject({ code: 0 });
  world.write('order');
  return world;
}

/** The lines about jobs. */
const reasonsIn = (text: string) => [...text.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line);

const EDITS: [edit: (world: World) => void, again: string[]][] = [
  [(world) => world.write('raw.txt', 'new'), RAW_CHANGED],
  [
    (world) => world.write('ref.txt', 'fer'),
    ['use: its input ref.txt changed', 'other: its input ref.txt changed', 'last: use runs again'],
  ],
  [
    (world) => rmSync(join(world.dir, 'prep.txt')),
    ['prep: its output prep.txt is missing', 'use: prep runs again', 'last: use runs again'],
  ],
  [(world) => world.write('other.txt', 'xxx'), ['other: its output other.txt was changed after it ran']],
];

describe.concurrent('reinitialize', () => {
  test('finds inputs that changed and outputs that are missing or edited, and exactly what follows runs again', async (context) => {
    const world = await completed(context);
    for (const [index, [edit, again]] of EDITS.entries()) {
      edit(world);
      const { code, stdout } = await world.run('reinitialize', '1');
      const count = again.length === 1 ? '1 job' : `${again.length} jobs`;
      expect([code, stdout.split('\n')]).toEqual([
        0,
        [
          `workflow 1: reset ${count} and began run ${index + 2}`,
          ...again.map((line) => `  ${line}`),
          'next: holdfast run 1',
          '',
        ],
      ]);
      world.write('order');
      expect((await world.run('run', '1')).code).toBe(0);
      expect(world.lines('order').sort()).toEqual(again.map((line) => line.split(':')[0]).sort());
    }
    expect((await world.attempts('prep')).map(({ run_id }) => run_id)).toEqual([1, 2, 4]);
  });

  test('finds nothing in files that were touched, or written again as they were', async (context) => {
    const world = await completed(context);
    utimesSync(join(world.dir, 'raw.txt'), 1, 1);
    world.write('use.txt', 'rawref');
    expect(await world.run('reinitialize', '1')).toEqual({
      code: 0,
      stdout: 'workflow 1: nothing is out of date; 5 files were compared\n',
      stderr: '',
    });
  });

  test('shows in a dry run what it would do, and does nothing', async (context) => {
    const world = await completed(context);
    world.write('raw.txt', 'new');
    const { stdout } = await world.run('reinitialize', '1', '--dry-run');
    expect(stdout.split('\n')).toEqual([
      'workflow 1: would reset 3 jobs and begin run 2',
      ...RAW_CHANGED.map((line) => `  ${line}`),
      'next: holdfast reinitialize 1',
      '',
    ]);
    expect((await world.status()).workflow.run_id).toBe(1);
    const shown = await world.json<ReinitializeResult>('reinitialize', '1', '--dry-run');
    expect(shown).toMatchObject({
      workflow_id: 1,
      dry_run: true,
      files_compared: 5,
      jobs: [{ name: 'prep', reason: { kind: 'input_changed', path: 'raw.txt' } }, {}, {}],
    });
  });

  test('refuses what would run without an input, changes nothing, and can be forced', async (context) => {
    const world = await completed(context);
    rmSync(join(world.dir, 'ref.txt'));
    // Nothing has to run: it is only noted.
    expect(await world.run('reinitialize', '1')).toMatchObject({
      code: 0,
      stdout: 'workflow 1: nothing is out of date; 5 files were compared\n',
      stderr: 'note: inputs that no longer exist and cannot be compared: ref.txt\n',
    });
    rmSync(join(world.dir, 'other.txt'));
    const { code, stderr } = await world.run('reinitialize', '1');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /\nerror: job other: the input ref\.txt does not exist, and no job writes it\nhint: nothing was run/,
    );
    expect((await world.status()).workflow.run_id).toBe(1);
    expect((await world.run('reinitialize', '1', '--force')).stdout).toMatch(/began run 2/);
  });

  test('compares large files, and those of `fingerprint: metadata`, by size and time', async (context) => {
    const world = await completed(context, { fingerprint_max_size: 2 });
    utimesSync(join(world.dir, 'raw.txt'), 1, 1);
    expect(reasonsIn((await world.run('reinitialize', '1')).stdout)).toEqual(RAW_CHANGED);
    const other = await completed(context, { fingerprint: 'metadata' });
    utimesSync(join(other.dir, 'raw.txt'), 1, 1);
    expect(reasonsIn((await other.run('reinitialize', '1')).stdout)).toEqual(RAW_CHANGED);
    const off = await completed(context, { fingerprint: 'off' });
    off.write('raw.txt', 'changed');
    expect((await off.run('reinitialize', '1')).stdout).toMatch(/nothing is out of date; 0 files/);
  });

  test('says in one line that files are not visible here, and finds them where --cwd says', async (context) => {
    const world = jobsWorld(context, PIPELINE);
    const moved = (name: string) => join(world.dir, name);
    mkdirSync(moved('place'));
    world.write('place/raw.txt', 'raw');
    world.write('place/ref.txt', 'ref');
    expect((await world.run('run', 'spec.json', '--cwd', 'place')).code).toBe(0);
    world.write('place/raw.txt', 'new');
    renameSync(moved('place'), moved('elsewhere'));
    expect(await world.run('reinitialize', '1')).toEqual({
      code: 0,
      stdout: 'workflow 1: nothing is out of date; 0 files were compared\n',
      stderr: `the files of workflow 1 are not compared: ${moved('place')} does not exist here; --cwd names the directory they are in\n`,
    });
    const found = await world.run('reinitialize', '1', '--cwd', 'elsewhere');
    expect(reasonsIn(found.stdout)).toEqual(RAW_CHANGED);
  });

  test('runs a failed job again whose input was fixed, and names the input', async (context) => {
    const world = jobsWorld(context, [
      { name: 'check', command: 'grep -q good raw.txt', input_files: ['raw.txt'] },
      { name: 'after', command: 'true', depends_on: ['check'] },
    ]);
    world.write('raw.txt', 'bad');
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(reasonsIn((await world.run('reinitialize', '1', '--dry-run')).stdout)).toEqual([
      'check: it failed',
      'after: check runs again',
    ]);
    world.write('raw.txt', 'good');
    expect(reasonsIn((await world.run('reinitialize', '1')).stdout)).toEqual([
      'check: its input raw.txt changed',
      'after: check runs again',
    ]);
    expect((await world.run('run', '1')).code).toBe(0);
  });
});

describe.concurrent('run ID', () => {
  test('names what is out of date, with the command that runs it again, and runs nothing', async (context) => {
    const world = await completed(context);
    world.write('raw.txt', 'new');
    const { code, stderr } = await world.run('run', '1');
    expect(code).toBe(0);
    expect(stderr.split('\n')).toEqual([
      '1 job is out of date, and not run again by this command:',
      '  prep: its input raw.txt changed',
      '`holdfast reinitialize 1` begins a new run with it and all that depends on it',
      'workflow 1 is complete: nothing is run again',
      '',
    ]);
    expect(world.lines('order')).toEqual([]);
    expect((await world.run('run', '1', '--output', 'quiet')).stderr).not.toMatch(/out of date/);
  });
});

describe.concurrent('a post script', () => {
  test('that changes outputs of its attempt does not make the job out of date', async (context) => {
    const post = { command: 'echo more >> out.txt' };
    const world = jobsWorld(context, [
      { name: 'a', command: 'echo one > out.txt', output_files: ['out.txt'], post },
    ]);
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('out.txt')).toEqual(['one', 'more']);
    expect((await world.run('reinitialize', '1')).stdout).toMatch(
      /nothing is out of date; 1 file was compared/,
    );
  });
});

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { kill } from '../kill-process.ts';
import { jobsWorld, type World } from './world.ts';

async function marksOf(world: World) {
  const engine = await openEngine({ dir: join(world.dir, '.holdfast'), create: false });
  try {
    return (await engine.listFileMarks(1)).items;
  } finally {
    await engine.close();
  }
}

test('a run that is killed leaves no marks of the lost attempt, and the next one has its own', async (context) => {
  const world = jobsWorld(context, [
    {
      name: 'a',
      command: 'cat in.txt > out.txt; [ -e go ] || sleep 60',
      input_files: ['in.txt'],
      output_files: ['out.txt'],
    },
  ]);
  world.write('in.txt', 'first');
  const run = world.start('run', 'spec.json');
  await world.running(1);
  kill(run.child.pid!);
  await run.ended;
  await world.nothingLeft();
  world.write('in.txt', 'other');
  world.write('go');
  expect((await world.run('run', '1')).code).toBe(0);
  expect(await marksOf(world)).toMatchObject([
    {
      status: 'completed',
      attempt_id: 2,
      files: [
        { role: 'input', size: 5, problem: null },
        { role: 'output', size: 5, problem: null },
      ],
    },
  ]);
  const [input, output] = (await marksOf(world))[0]!.files;
  expect(input!.hash).toBe(output!.hash);
  expect((await world.run('reinitialize', '1')).stdout).toMatch(/nothing is out of date/);
});

test('an input that changes while its job runs is compared by size and time, and found', async (context) => {
  const world = jobsWorld(context, [{ name: 'a', command: 'echo more >> in.txt', input_files: ['in.txt'] }]);
  world.write('in.txt', 'first');
  expect((await world.run('run', 'spec.json')).code).toBe(0);
  const [mark] = (await marksOf(world))[0]!.files;
  // Read before the job was done with it, or not at all: never what the job had made of it.
  expect([null, createHash('sha256').update('first').digest('hex')]).toContain(mark!.hash);
  expect(mark!.size).toBe(5);
  expect((await world.run('reinitialize', '1', '--dry-run')).stdout).toMatch(/a: its input in\.txt changed/);
});

test('keep_failed_outputs: false lets no retry see what the attempt before it left', async (context) => {
  const command =
    '[ ! -e out.txt ] || exit 9; echo part > out.txt; [ -e tried ] || { touch tried; exit 3; }; echo all > out.txt';
  const job = {
    name: 'a',
    command,
    output_files: ['out.txt'],
    retry: { max_retries_failure: 2, initial_retry_delay_ms: 1 },
  };
  const world = jobsWorld(context, [job], { keep_failed_outputs: false });
  expect((await world.run('run', 'spec.json')).code).toBe(0);
  expect((await world.attempts('a')).map(({ outcome }) => outcome?.exit_code)).toEqual([3, 0]);
  expect(world.lines('out.txt')).toEqual(['all']);

  const aside = jobsWorld(context, [job], { keep_failed_outputs: 'aside' });
  expect((await aside.run('run', 'spec.json')).code).toBe(0);
  expect(aside.lines('out.txt.failed-r1-a1')).toEqual(['part']);

  const kept = jobsWorld(context, [job]);
  expect((await kept.run('run', 'spec.json')).code).toBe(1);
  expect(existsSync(join(kept.dir, 'out.txt'))).toBe(true);
});

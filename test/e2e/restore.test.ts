import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kill } from '../kill-process.ts';
import { jobsWorld } from './world.ts';

const NOTE = 'echo "$HOLDFAST_JOB_NAME $HOLDFAST_ATTEMPT_ID" >> journal';

test('a backup of a workflow that runs is restored, and resumed without repeating what was done', async (context) => {
  const world = jobsWorld(context, [
    { name: 'done', command: NOTE },
    { name: 'open', command: `${NOTE}; until [ -e go ]; do sleep 0.05; done`, depends_on: ['done'] },
    { name: 'last', command: NOTE, depends_on: ['open'] },
  ]);
  const run = world.start('run', 'spec.json');
  await world.linesReached('journal', 2);
  await world.running();
  expect(await world.run('backup', 'copy.db')).toMatchObject({ code: 0 });
  // The machine, with all that has happened since.
  for (const { pid } of world.processes()) kill(pid);
  await run.ended;
  await world.nothingLeft();
  mkdirSync(join(world.dir, 'restored'), { mode: 0o700 });
  copyFileSync(join(world.dir, 'copy.db'), join(world.dir, 'restored', 'holdfast.db'));
  world.write('go');
  expect(await world.run('run', '1', '--dir', 'restored')).toMatchObject({ code: 0 });
  expect(world.lines('journal')).toEqual(['done 1', 'open 1', 'open 2', 'last 1']);
  const attempts = await world.json<{ job_name: string; state: string }[]>(
    'attempts',
    '1',
    '--dir',
    'restored',
  );
  expect(attempts.map(({ job_name, state }) => [job_name, state])).toEqual([
    ['done', 'SUCCEEDED'],
    ['open', 'WORKER_FAILED'],
    ['open', 'SUCCEEDED'],
    ['last', 'SUCCEEDED'],
  ]);
});

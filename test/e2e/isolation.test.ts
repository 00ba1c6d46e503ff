import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jobsWorld, type World } from './world.ts';

/** Directories that attempts left behind. */
function workLeft(world: World): string[] {
  const work = join(world.dir, '.holdfast', 'work', 'r1');
  return existsSync(work) ? readdirSync(work).sort() : [];
}

const RETRIED = { retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 } };

test('an isolated attempt runs in a directory of its own that is empty each time', async (context) => {
  const world = jobsWorld(context, [
    {
      name: 'job',
      isolate: true,
      command: `[ "$PWD" -ef "$HOLDFAST_WORK_DIR" ] || exit 9
        ls -A | wc -l >> '../../../../seen'
        touch left-behind
        [ "$HOLDFAST_ATTEMPT_ID" -gt 1 ]`,
      ...RETRIED,
    },
  ]);
  expect((await world.run('run', 'spec.json')).code).toBe(0);
  expect(world.lines('seen').map(Number)).toEqual([0, 0]);
  expect(workLeft(world)).toEqual([]);
});

test('the checkpoint directory is the same for all attempts, and stays if something is in it', async (context) => {
  const world = jobsWorld(context, [
    {
      name: 'job',
      command: `cat "$HOLDFAST_CHECKPOINT_DIR/step" >> seen 2>/dev/null
        echo "$HOLDFAST_ATTEMPT_ID" > "$HOLDFAST_CHECKPOINT_DIR/step"
        [ "$HOLDFAST_ATTEMPT_ID" -gt 1 ]`,
      ...RETRIED,
    },
    { name: 'other', command: '[ -z "$(ls -A "$HOLDFAST_CHECKPOINT_DIR")" ]' },
  ]);
  expect((await world.run('run', 'spec.json')).code).toBe(0);
  expect(world.lines('seen')).toEqual(['1']);
  expect(readdirSync(join(world.dir, '.holdfast', 'checkpoints'))).toEqual(['1']);
});

test.for([
  ['none', []],
  ['failed', ['2_attempt_1', '2_attempt_2']],
  ['all', ['1_attempt_1', '1_attempt_2', '2_attempt_1', '2_attempt_2']],
] as const)('with --keep-work %s the right work directories stay', async ([keep, left], context) => {
  const world = jobsWorld(context, [
    {
      name: 'recovers',
      command: 'touch "$HOLDFAST_WORK_DIR/x"; [ "$HOLDFAST_ATTEMPT_ID" -gt 1 ]',
      ...RETRIED,
    },
    { name: 'fails', command: 'touch "$HOLDFAST_WORK_DIR/x"; false', ...RETRIED },
  ]);
  expect((await world.run('run', 'spec.json', '--keep-work', keep)).code).toBe(1);
  expect(workLeft(world)).toEqual(left);
});

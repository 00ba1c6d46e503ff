import { describe, expect, test } from 'vitest';
import { jobsWorld } from '../e2e/world.ts';

const CHAIN = [
  { name: 'a', command: 'echo a >> order; echo a > a.txt', output_files: ['a.txt'] },
  { name: 'b', command: 'echo b >> order; [ -e good ]', depends_on: ['a'] },
  { name: 'c', command: 'echo c >> order', depends_on: ['b'] },
];

describe.concurrent('run --until', () => {
  test('runs what the target needs, says what is left, and continues with all without it', async (context) => {
    const world = jobsWorld(context, CHAIN);
    const first = await world.run('run', 'spec.json', '--until', 'a.txt');
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('  until a.txt: 2 jobs are not started\n');
    expect(first.stdout).toContain('next: holdfast run 1  (runs the 2 jobs left)\n');
    expect(world.lines('order')).toEqual(['a']);

    const second = await world.run('run', '1', '--until', 'b');
    expect(second.code).toBe(1);
    expect(world.lines('order')).toEqual(['a', 'b']);
    world.write('good');
    const third = await world.run('run', 'spec.json', '--continue', '1', '--until', 'b');
    expect(third.code).toBe(0);
    const last = await world.run('run', '1');
    expect(last.code).toBe(0);
    expect(last.stderr).toContain('workflow 1 continues with the jobs that --until had left out\n');
    expect(world.lines('order')).toEqual(['a', 'b', 'b', 'c']);
    const over = await world.run('run', '1', '--until', 'c');
    expect([over.code, over.stderr]).toEqual([2, expect.stringContaining('--until: workflow 1 is complete')]);
  });

  test('is refused for an unknown target, a request and a dry run of a stored workflow', async (context) => {
    const world = jobsWorld(context, CHAIN);
    const unknown = await world.run('run', 'spec.json', '--until', 'a.tx');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('"a.tx"; did you mean "a.txt"?');
    expect((await world.run('status')).stdout).not.toContain('spec');
    const dry = await world.run('run', '1', '--dry-run', '--until', 'a');
    expect(dry.code).toBe(2);
    expect(dry.stderr).toContain('--until: with --dry-run is for a spec');
    world.write('empty.yaml', 'kind: request\n');
    expect((await world.run('run', 'empty.yaml', '--until', 'a')).code).toBe(2);
  });
});

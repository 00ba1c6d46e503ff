import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { factsOf } from '../../src/host/look-at-file.ts';
import { type LauncherWorld, launcherWorld } from './launcher-world.ts';

const inside = (world: LauncherWorld, name: string) => join(world.dir, name);

describe('files that an attempt declares', () => {
  test('are looked at before it starts if it reads them, and after its end if it writes them', async () => {
    const world = await launcherWorld();
    const [input, output] = [inside(world, 'in'), inside(world, 'out')];
    writeFileSync(input, 'before');
    const before = factsOf(input);
    const { files } = await world.run('echo after >> in; echo made > out', {
      outputFiles: [output],
      watched: [
        { role: 'input', absolute: input },
        { role: 'output', absolute: output },
        { role: 'input', absolute: inside(world, 'none') },
      ],
    });
    expect(files).toEqual([before, factsOf(output), expect.objectContaining({ kind: 'missing' })]);
    expect(factsOf(input)).not.toEqual(before);
    expect((await world.run('true')).files).toBeUndefined();
  });
});

describe('outputs of a failed attempt', () => {
  test('that it created are removed, or moved aside; those of a success stay', async () => {
    const world = await launcherWorld();
    const outputFiles = [inside(world, 'new')];
    await world.run('echo x > new; exit 3', { outputFiles, failedSuffix: null });
    expect(existsSync(inside(world, 'new'))).toBe(false);
    await world.run('echo y > new; kill -9 $$', { outputFiles, failedSuffix: '.failed-r1-a2' });
    expect(existsSync(inside(world, 'new'))).toBe(false);
    expect(readFileSync(inside(world, 'new.failed-r1-a2'), 'utf8')).toBe('y\n');
    await world.run('echo z > new', { outputFiles, failedSuffix: null });
    expect(readFileSync(inside(world, 'new'), 'utf8')).toBe('z\n');
    await world.run('echo x > other; exit 3', { outputFiles: [inside(world, 'other')] });
    expect(existsSync(inside(world, 'other'))).toBe(true);
  });

  test('that existed before, are no regular files, or are not declared are left alone', async () => {
    const world = await launcherWorld();
    writeFileSync(inside(world, 'old'), 'old');
    writeFileSync(inside(world, 'target'), 'precious');
    symlinkSync(inside(world, 'gone'), inside(world, 'dangling'));
    mkdirSync(inside(world, 'kept'));
    const outputFiles = ['old', 'link', 'dangling', 'made/dir', 'made'].map((name) => inside(world, name));
    const script =
      'echo more >> old; ln -s target link; echo through > dangling; mkdir -p made/dir; echo a > made/dir/a; echo b > undeclared; exit 1';
    await world.run(script, { outputFiles, failedSuffix: null });
    expect(readFileSync(inside(world, 'old'), 'utf8')).toBe('oldmore\n');
    expect(readFileSync(inside(world, 'target'), 'utf8')).toBe('precious');
    expect(readFileSync(inside(world, 'gone'), 'utf8')).toBe('through\n');
    for (const name of ['link', 'dangling', 'made/dir/a', 'undeclared']) {
      expect(existsSync(inside(world, name)), name).toBe(true);
    }
  });

  test('are gone before the end is reported, however it came about', async () => {
    const world = await launcherWorld();
    const outputFiles = [inside(world, 'part'), inside(world, 'never')];
    const timed = await world.run('echo x > part; sleep 60', {
      outputFiles,
      failedSuffix: null,
      timeoutMs: 300,
    });
    expect(timed.outcome.timed_out).toBe(true);
    expect(existsSync(inside(world, 'part'))).toBe(false);
    const job = world.start('echo x > part; touch begun; sleep 60', { outputFiles, failedSuffix: null });
    await job.started;
    world.launchers.end(job.token, 'canceled', true);
    await job.ended;
    expect(existsSync(inside(world, 'part'))).toBe(false);
    const missing = await world.run('echo x > part', { outputFiles, failedSuffix: null });
    expect(missing.outcome.missing_outputs).toEqual([inside(world, 'never')]);
    expect(existsSync(inside(world, 'part'))).toBe(false);
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { OomKills } from '../../src/worker/launcher/kill/oom-kills.ts';
import { temporaryDirectory } from './launcher-world.ts';

function cgroup(lines: string, counterPath: string) {
  const dir = temporaryDirectory();
  const file = join(dir, 'cgroup');
  writeFileSync(file, lines);
  const counter = join(dir, 'mount', counterPath);
  mkdirSync(dirname(counter), { recursive: true });
  const set = (count: number) => writeFileSync(counter, `low 0\noom 9\noom_kill ${count}\n`);
  set(2);
  return { set, kills: new OomKills(file, join(dir, 'mount')) };
}

test.each([
  ['version 2', '0::/user/job\n', 'user/job/memory.events'],
  ['version 2 in a container', '0::/host/path\n', 'memory.events'],
  ['version 1', '4:cpu:/x\n3:memory:/jobs/a:b\n0::/\n', 'memory/jobs/a:b/memory.oom_control'],
])('the counter of control groups %s is found and followed', (_, lines, path) => {
  const { kills, set } = cgroup(lines, path);
  expect(kills.count).toBe(2);
  set(3);
  expect(kills.count).toBe(2);
  expect(kills.refresh()).toBe(3);
});

test('without control groups nothing was ever killed', () => {
  const dir = temporaryDirectory();
  const kills = new OomKills(join(dir, 'missing'), dir);
  expect(kills.refresh()).toBe(0);
});

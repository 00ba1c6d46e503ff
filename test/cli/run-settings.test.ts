import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../src/cli/config/resolve-settings.ts';
import { recallSettings } from '../../src/cli/options/run-settings.ts';
import type { RunSettings } from '../../src/contract/records/records.ts';
import { jobsWorld } from '../e2e/world.ts';

const HOST = hostname();

function recall(
  flags: Record<string, string>,
  stored: RunSettings | null,
  offer: { labels?: string[]; site?: string } = {},
) {
  const context = resolveSettings({ flags, env: { HOLDFAST_GPUS: '2' }, files: [] });
  const { labels = [], site = null } = offer;
  return recallSettings(context, { labels, site }, { run_settings: stored });
}

describe('options of a run', () => {
  test('are kept as far as they were given, and not what the environment says', () => {
    expect(recall({}, null)).toMatchObject({ kept: null, recalled: [], settings: { gpus: 2 } });
    const given = recall({ max_parallel: '4', memory: '4g' }, null, { labels: ['gpu'], site: 'here' });
    expect(given.kept).toEqual({
      host: HOST,
      max_parallel: 4,
      memory_bytes: 4 * 1024 ** 3,
      labels: ['gpu'],
      site: 'here',
    });
    expect(given.recalled).toEqual([]);
  });

  test('hold for the next run, before the environment, until they are given anew', () => {
    const stored = { host: HOST, max_parallel: 4, gpus: 1, grace_ms: 5000, labels: ['a b'], site: 'here' };
    const again = recall({}, stored);
    expect(again).toMatchObject({
      settings: { max_parallel: 4, gpus: 1, grace: 5000 },
      offer: { labels: ['a b'], site: 'here' },
      kept: null,
      recalled: ['-j 4', '--gpus 1', '--grace 5s', "--label 'a b'", '--site here'],
    });
    const anew = recall({ max_parallel: 'none' }, stored, { labels: ['c'] });
    expect(anew).toMatchObject({
      settings: { max_parallel: null, gpus: 1 },
      offer: { labels: ['c'], site: 'here' },
      kept: { ...stored, max_parallel: null, labels: ['c'] },
      recalled: ['--gpus 1', '--grace 5s', '--site here'],
    });
    expect(recall({ max_parallel: '4' }, { host: HOST, max_parallel: 4 }).kept).toBeNull();
  });

  test('of another machine do not hold here', () => {
    const elsewhere = recall({ cpus: '1' }, { host: 'elsewhere', max_parallel: 4, labels: ['gpu'] });
    expect(elsewhere).toMatchObject({
      settings: { max_parallel: null },
      offer: { labels: [] },
      recalled: [],
    });
    expect(elsewhere.kept).toEqual({ host: HOST, cpus: 1 });
  });

  test('are used by run ID and --continue, which say so', async (context) => {
    const world = jobsWorld(context, [{ name: 'a', command: '[ -e good ]', labels: ['gpu'] }]);
    expect((await world.run('run', 'spec.json', '-j', '1', '--label', 'gpu')).code).toBe(1);
    world.write('good');
    const { code, stderr } = await world.run('run', 'spec.json', '--continue');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'uses -j 1 --label gpu, as it was run before; options given anew replace them\n',
    );
  });
});

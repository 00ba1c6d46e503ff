import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfigFile, readConfigFile } from '../../src/cli/config/config-file.ts';
import { resolveSettings, type SettingSources } from '../../src/cli/config/resolve-settings.ts';
import { SETTING_KEYS } from '../../src/cli/config/settings.ts';

function resolve(given: Partial<SettingSources>) {
  return resolveSettings({ flags: {}, env: {}, files: [], ...given });
}

describe('settings', () => {
  test('have a default each', () => {
    const { settings, origins } = resolve({});
    expect(settings).toMatchObject({
      output_dir: 'output',
      max_parallel: null,
      gpus: 0,
      keep_work: 'failed',
      grace: 10_000,
      default_max_retries_failure: 0,
      default_max_retries_preemption: 100,
      default_retry_delay_ms: 1000,
      output: 'table',
      color: 'auto',
    });
    expect(settings.cpus).toBeGreaterThan(0);
    expect(settings.memory).toBeGreaterThan(0);
    expect(origins.map(({ key }) => key)).toEqual(SETTING_KEYS);
    expect(new Set(origins.map(({ origin }) => origin))).toEqual(new Set(['default']));
  });

  test('come from flag, environment, project file, user file, default, in this order', async () => {
    const project = await parseConfigFile('cpus: 3\ngrace: 5s\n', 'project.yaml');
    const user = await parseConfigFile('\ncpus: 4\ngrace: 6s\nmemory: 1g\n', 'user.yaml');
    const { settings, origins } = resolve({
      flags: { output_dir: 'out' },
      env: { HOLDFAST_OUTPUT_DIR: 'elsewhere', HOLDFAST_CPUS: '2', HOLDFAST_GPUS: '' },
      files: [project, user],
    });
    expect(settings).toMatchObject({ output_dir: 'out', cpus: 2, grace: 5000, memory: 1024 ** 3, gpus: 0 });
    const sources = Object.fromEntries(origins.map(({ key, origin, source }) => [key, [origin, source]]));
    expect(sources).toMatchObject({
      output_dir: ['flag', '--output-dir'],
      cpus: ['environment', 'HOLDFAST_CPUS'],
      grace: ['file', 'project.yaml:2'],
      memory: ['file', 'user.yaml:4'],
      gpus: ['default', null],
    });
  });

  test('take NO_COLOR for no colours, but a flag and HOLDFAST_COLOR go before it', () => {
    expect(resolve({ env: { NO_COLOR: '1' } }).settings.color).toBe('never');
    expect(resolve({ env: { NO_COLOR: '1', HOLDFAST_COLOR: 'always' } }).settings.color).toBe('always');
    expect(resolve({ env: { HOLDFAST_COLOR: 'always' }, flags: { color: 'never' } }).settings.color).toBe(
      'never',
    );
  });

  test('of a run inside a job do not take the output directory of that job', () => {
    const env = { HOLDFAST_OUTPUT_DIR: '/outer/output', HOLDFAST_ATTEMPT_TOKEN: '17' };
    expect(resolve({ env }).settings.output_dir).toBe('output');
  });

  test('that make no sense are all reported with where they come from', () => {
    expect(() =>
      resolve({ flags: { cpus: 'many', memory: 'lots' }, env: { HOLDFAST_KEEP_WORK: 'some' } }),
    ).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: [
          '--cpus: must be a number above 0, not "many"',
          '--memory: must be a size like 512m or 16g, not "lots"',
          'HOLDFAST_KEEP_WORK: keep_work must be none or failed or all, not "some"',
        ].join('\n'),
      }),
    );
  });

  test.each([
    ['max_parallel', '0'],
    ['max_parallel', '1.5'],
    ['gpus', '-1'],
    ['grace', 'soon'],
    ['default_max_retries_failure', 'x'],
    ['output', 'xml'],
  ] as const)('refuse %s = %s', (key, value) => {
    expect(() => resolve({ flags: { [key]: value } })).toThrow(/must be/);
  });
});

describe('a config file', () => {
  test('that does not exist is empty', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
    expect(await readConfigFile(join(dir, 'config.yaml'))).toEqual({});
  });

  test('that is empty or has only comments says nothing', async () => {
    expect(await parseConfigFile('', 'c.yaml')).toEqual({});
    expect(await parseConfigFile('# cpus: 2\n', 'c.yaml')).toEqual({});
  });

  test('with unknown keys is refused, each with its line and what was meant', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
    const path = join(dir, 'config.yaml');
    writeFileSync(path, 'cpus: 2\nmax_paralel: 4\n\nnonsense: 1\n');
    await expect(readConfigFile(path)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      exitCode: 2,
      message: `${path}:2: unknown key max_paralel; did you mean "max_parallel"?\n${path}:4: unknown key nonsense`,
    });
  });

  test('that is not a map, not YAML or has nested values is refused with its place', async () => {
    await expect(parseConfigFile('- cpus\n', 'c.yaml')).rejects.toThrow('c.yaml:1: must be');
    await expect(parseConfigFile('cpus: [1, 2\n', 'c.yaml')).rejects.toThrow(/c\.yaml:\d+: /);
    await expect(parseConfigFile('\ncpus: {a: 1}\n', 'c.yaml')).rejects.toThrow(
      'c.yaml:2: cpus must be one value',
    );
  });
});

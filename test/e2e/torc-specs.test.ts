import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadSpec } from '../../src/spec/load-spec.ts';
import type { JobUsage } from '../../src/views/job-usage.ts';
import { World } from './world.ts';

const DIRECTORY = join(import.meta.dirname, 'torc-specs');
const YAML = readFileSync(join(DIRECTORY, 'every-key.yaml'), 'utf8');
const KDL = readFileSync(join(DIRECTORY, 'every-key.kdl'), 'utf8');
const VALUE = parse(YAML) as Record<string, unknown>;

/** One workflow in every format; in JSON5 with what JSON does not have. */
const SPECS: Record<string, string> = {
  'flow.yaml': YAML,
  'flow.json': JSON.stringify(VALUE, null, 2),
  'flow.json5': `// JSON5\n${JSON.stringify(VALUE).replace('"name":"every_key"', "name: 'every_key',").replace(',,', ',')}`,
  'flow.kdl': KDL,
  'version-1.kdl': KDL.replace(/#(true|false|null)\b/g, '$1'),
};

/** What torc's documentation lists, by the section it stands in. */
const TORC_KEYS: Record<string, string> = {
  '': 'name user description project metadata parameters variables env jobs files user_data resource_requirements failure_handlers slurm_schedulers slurm_defaults resource_monitor actions use_pending_failed execution_config compute_node_expiration_buffer_seconds compute_node_wait_for_new_jobs_seconds compute_node_ignore_workflow_completion compute_node_wait_for_healthy_database_minutes jobs_sort_method enable_ro_crate access_groups',
  jobs: 'name command priority invocation_script env resource_requirements failure_handler scheduler cancel_on_blocking_job_failure supports_termination depends_on depends_on_regexes input_files input_file_regexes output_files output_file_regexes input_user_data input_user_data_regexes output_user_data output_user_data_regexes parameters parameter_mode use_parameters stdio',
  files: 'name path identifier st_mtime parameters parameter_mode use_parameters',
  user_data: 'name data is_ephemeral',
  resource_requirements: 'name num_cpus memory num_gpus num_nodes runtime',
  failure_handlers: 'name rules',
  slurm_schedulers:
    'name account partition nodes walltime mem gres qos ntasks_per_node tmp extra serialize_allocations',
  execution_config:
    'mode sigkill_headroom_seconds timeout_exit_code staggered_start stdio limit_resources termination_signal sigterm_lead_seconds oom_exit_code srun_termination_signal enable_cpu_bind srun_mpi',
  actions:
    'trigger_type action_type jobs job_name_regexes commands scheduler scheduler_type num_allocations start_one_worker_per_node max_parallel_jobs persistent',
  resource_monitor:
    'enabled granularity sample_interval_seconds flush_interval_seconds generate_plots jobs compute_node',
};

describe('a spec with every key of torc', () => {
  test.each(Object.entries(TORC_KEYS))('has all of those in %s', (section, keys) => {
    const value = section === '' ? VALUE : VALUE[section];
    const present = new Set([value].flat().flatMap((entry) => Object.keys(entry as object)));
    expect(keys.split(' ').filter((key) => !present.has(key))).toEqual([]);
  });

  test('gives the same model in every format', () => {
    const models = Object.entries(SPECS).map(([name, text]) => {
      const loaded = loadSpec(text, name);
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, null, 2));
      return { name, model: loaded.model };
    });
    const [first] = models;
    for (const { name, model } of models) expect(model, name).toEqual(first!.model);
  });

  describe.concurrent.each(Object.keys(SPECS))('as %s', (file) => {
    test('is valid, runs here to its end, and its notes are printed', async ({ expect }) => {
      const world = new World({
        [file]: SPECS[file]!,
        'add.sh': 'test "$MARK" = "$1" || exit 3\necho $(($(cat "$2") + $1))\n',
      });
      const validation = await world.run('validate', file);
      expect(validation.code, validation.stdout).toBe(0);
      expect(validation.stdout).toContain(
        'scheduler short asks Slurm for 1 node with 1 CPU and 8g of memory',
      );
      const ran = await world.run('run', file);
      expect(ran.code, ran.stderr).toBe(0);
      expect(ran.stderr.match(/^note: slurm_schedulers are not used here/gm)).toHaveLength(1);
      expect(ran.stderr).toContain('enable_ro_crate: is not used');
      expect(readFileSync(join(world.dir, 'data/total.txt'), 'utf8')).toBe('4\n5\n');
      expect(existsSync(join(world.dir, 'data/action'))).toBe(true);
      expect((await world.attempts('flaky')).map(({ state }) => state)).toEqual(['FAILED', 'SUCCEEDED']);
      // fetch: combined; split_1, split_2: removed after success; flaky: none; gather: separate.
      expect(
        readdirSync(join(world.dir, 'output/job_stdio'))
          .filter((name) => /^job_.*_a\d+\.\w+$/.test(name))
          .sort(),
      ).toEqual(['job_wf1_j1_r1_a1.log', 'job_wf1_j5_r1_a1.e', 'job_wf1_j5_r1_a1.o']);
      expect((await world.run('logs', '1', 'fetch', '--stderr')).stdout).toBe('out\nerr\n');
      expect((await world.run('logs', '1', 'gather')).stdout).toBe('4\n5\n');
      expect((await world.run('logs', '1', 'gather', '--stderr')).stdout).toContain('info\n');
      const [flaky] = await world.attempts('flaky');
      expect(flaky).toMatchObject({ stdout_path: '/dev/null', stderr_path: '/dev/null' });
      const discarded = await world.run('logs', '1', 'flaky');
      expect(discarded).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('may not keep it (`stdio`)'),
      });
    });
  });
});

test('samples of an attempt are shown by report', async () => {
  const world = new World({
    'flow.yaml': `resource_monitor: {granularity: time_series, sample_interval_seconds: 0.25}
jobs:
  - {name: long, command: sleep 1.5}
  - {name: short, command: "true"}
`,
  });
  expect((await world.run('run', 'flow.yaml')).code).toBe(0);
  const [long, short] = await world.json<JobUsage[]>('report', '1');
  expect(long!.samples.length).toBeGreaterThan(0);
  expect(long!.samples).toHaveLength(long!.sample_count);
  expect(long!.samples[0]).toEqual({
    at_ms: expect.any(Number),
    rss_bytes: expect.any(Number),
    cpu_ms: expect.any(Number),
  });
  expect(short).toMatchObject({ sample_count: 0, samples: [] });
  const { stdout } = await world.run('report', '1');
  expect(stdout).toMatch(/^long: \d+ samples? in /m);
  expect(stdout).not.toMatch(/^short:/m);
});

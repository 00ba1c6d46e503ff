import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { UNUSED_KEYS } from '../../src/spec/check/note-unused.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { executionConfigSchema } from '../../src/spec/schema/execution-config-schema.ts';
import { fileSchema } from '../../src/spec/schema/file-schema.ts';
import { jobSpecSchema } from '../../src/spec/schema/job-schema.ts';
import { resourceMonitorSchema } from '../../src/spec/schema/resource-monitor-schema.ts';
import { stepSchema } from '../../src/spec/schema/step-schema.ts';
import { workflowSpecSchema } from '../../src/spec/schema/workflow-schema.ts';

/** Keys that reach the model; each is shown to do so by a test of the model, dependencies, routes, scopes or sweeps. */
const MODELLED = {
  workflow:
    'kind version name description user project metadata parameters parameters_file variables env shell files fingerprint fingerprint_max_size keep_failed_outputs user_data resource_requirements limits max_parallel jobs_sort_method execution_config failure_handlers use_pending_failed retry_defaults routing order resource_monitor slurm_schedulers actions notify jobs steps access_groups',
  job: 'name command invocation_script shell num_cpus num_gpus memory depends_on depends_on_regexes input_files output_files input_files_regexes output_files_regexes input_file_regexes output_file_regexes fingerprint fingerprint_max_size keep_failed_outputs input_user_data output_user_data input_user_data_regexes output_user_data_regexes resource_requirements resources failure_handler retry post on_fail on_success on_call scheduler labels env cwd isolate ports timeout deadline scheduling_timeout limit_resources stdio priority cancel_on_blocking_job_failure parameters parameter_mode use_parameters exclude include parameters_file use_parameters_file fail_fast',
  step: 'type exec shell depends_on forEach fanout if fail_if env timeout tags group output continue_on_failure on_call retry failure_handler post on_fail on_success',
  file: 'name path parameters parameter_mode use_parameters exclude include parameters_file use_parameters_file',
  execution_config: 'mode limit_resources termination_signal sigterm_lead_seconds stdio',
  resource_monitor: 'enabled granularity sample_interval_seconds jobs',
};

/** Only some values of these have no effect; the others are modelled. */
const BOTH = ['resource_requirements', 'fingerprint', 'fingerprint_max_size', 'keep_failed_outputs'];

function notes(text: string): string[] {
  const result = loadSpec(text, 'flow.yaml');
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.notes.map(({ path, line, column, message }) => `${line}:${column} ${path}: ${message}`);
}

describe('nothing is accepted and ignored', () => {
  it.each<[keyof typeof MODELLED, z.ZodObject, object]>([
    ['workflow', workflowSpecSchema, UNUSED_KEYS.workflow],
    ['job', jobSpecSchema, UNUSED_KEYS.job],
    ['step', stepSchema, {}],
    ['file', fileSchema, UNUSED_KEYS.file],
    ['execution_config', executionConfigSchema, UNUSED_KEYS.execution_config],
    ['resource_monitor', resourceMonitorSchema, UNUSED_KEYS.resource_monitor],
  ])('every key of a %s is modelled or gives a note', (kind, schema, unused) => {
    const modelled = MODELLED[kind].split(' ');
    const noted = Object.keys(unused);
    expect(noted.filter((key) => modelled.includes(key) && !BOTH.includes(key))).toEqual([]);
    expect([...new Set([...modelled, ...noted])].sort()).toEqual(Object.keys(schema.shape).sort());
  });
});

const JOB = 'jobs: [{name: a, command: x}]';
const SCHEDULERS = 'is about Slurm allocations, and there are no `slurm_schedulers`';

describe('a note', () => {
  it.each<[string, string[]]>([
    [`slurm_defaults: {qos: high}\n${JOB}`, [`1:1 slurm_defaults: ${SCHEDULERS}`]],
    [
      'fingerprint: content\nkeep_failed_outputs: true\nsteps: {a: {type: command, exec: x}}',
      ['1:1 fingerprint: is not used: only jobs declare files, not steps (also keep_failed_outputs)'],
    ],
    [`fingerprint: content\n${JOB}`, []],
    [
      'resource_requirements: [{name: r, num_nodes: 2}]\njobs: [{name: a, command: x, resource_requirements: r}, {name: b, command: x, resource_requirements: {num_nodes: 3}}]',
      [
        '1:35 resource_requirements[0].num_nodes: a job runs on one machine, whatever `num_nodes` says: there are no `slurm_schedulers` (also jobs[1].resource_requirements)',
      ],
    ],
    [
      `resource_monitor: {generate_plots: true, flush_interval_seconds: 300, compute_node: {enabled: true}}\n${JOB}`,
      [
        '1:20 resource_monitor.generate_plots: is not used: no plots are drawn; `holdfast report` shows the samples',
        '1:42 resource_monitor.flush_interval_seconds: is not used: samples are stored when the attempt ends',
        '1:71 resource_monitor.compute_node: is not used: only jobs are measured, not whole machines',
      ],
    ],
    [
      `compute_node_expiration_buffer_seconds: 1\ncompute_node_wait_for_new_jobs_seconds: 1\ncompute_node_ignore_workflow_completion: false\ncompute_node_wait_for_healthy_database_minutes: 1\ncompute_node_min_time_for_new_jobs_seconds: 1\n${JOB}`,
      [
        `1:1 compute_node_expiration_buffer_seconds: ${SCHEDULERS} (also compute_node_wait_for_new_jobs_seconds, compute_node_ignore_workflow_completion, compute_node_min_time_for_new_jobs_seconds)`,
        '4:1 compute_node_wait_for_healthy_database_minutes: is not used: a worker keeps its jobs without contact for as long as the setting `lease` says',
      ],
    ],
    [
      `execution_config: {mode: auto, srun_termination_signal: TERM@120, srun_mpi: pmix, enable_cpu_bind: true, sigkill_headroom_seconds: 60, staggered_start: false, timeout_exit_code: 99, oom_exit_code: 98}\n${JOB}`,
      [
        '1:32 execution_config.srun_termination_signal: is an option of `srun`, which is used only with `mode: slurm` (also execution_config.srun_mpi, execution_config.enable_cpu_bind)',
        `1:106 execution_config.sigkill_headroom_seconds: ${SCHEDULERS}`,
        '1:136 execution_config.staggered_start: is not used: workers that start together always spread their starts',
        '1:160 execution_config.timeout_exit_code: is not used: a timeout has match code 152',
        '1:183 execution_config.oom_exit_code: is not used: an attempt that ran out of memory has match code 137',
      ],
    ],
    [
      `enable_ro_crate: true\naccess_groups: [g]\nfiles: [{name: f, path: ./f, st_mtime: 1640995200.0, identifier: "doi:1"}]\njobs: [{name: a, command: x, supports_termination: false}]`,
      [
        '1:1 enable_ro_crate: is not used: no RO-Crate is written (also files[0].identifier)',
        '3:30 files[0].st_mtime: is not used: whether a file exists is looked up when it matters',
        '4:30 jobs[0].supports_termination: is not used: every job gets a signal, and time to end, before it is killed',
      ],
    ],
    [
      'env: {TORC_JOB_ID: 7, PATH: /bin}\njobs: [{name: a, command: x, env: {HOLDFAST_WORK_DIR: /x, HOLDFAST_PORT_HTTP: 7}}]',
      [
        '1:7 env.TORC_JOB_ID: is not used: every attempt gets this variable from Holdfast, and a job cannot override it (also jobs[0].env.HOLDFAST_WORK_DIR)',
      ],
    ],
    [
      'steps: {a: {exec: x, env: {HOLDFAST_LAUNCHER: x}}}',
      [
        '1:28 steps.a.env.HOLDFAST_LAUNCHER: is not used: every attempt gets this variable from Holdfast, and a job cannot override it',
      ],
    ],
  ])('stands at the key it is about: %s', (text, expected) => {
    expect(notes(text)).toEqual(expected);
  });

  it.each([
    `resource_monitor: {enabled: false, generate_plots: false, compute_node: {enabled: false}}\n${JOB}`,
    `resource_monitor: {granularity: time_series, sample_interval_seconds: 5, jobs: {granularity: summary}}\n${JOB}`,
    'slurm_schedulers: [{name: s, account: a, nodes: 2, walltime: "04:00:00", serialize_allocations: true}]\nslurm_defaults: {qos: high}\ncompute_node_wait_for_new_jobs_seconds: 9\nexecution_config: {mode: slurm, srun_mpi: pmix, enable_cpu_bind: true, srun_termination_signal: TERM@120, sigkill_headroom_seconds: 60, staggered_start: true}\njobs: [{name: a, command: x, scheduler: s, resource_requirements: {num_nodes: 2}}]\nactions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s}]',
    `execution_config: {mode: auto, timeout_exit_code: 152, oom_exit_code: 137}\nslurm_defaults: {}\naccess_groups: []\nenable_ro_crate: false\n${JOB}`,
  ])('is not made of what asks for nothing, or has an effect: %s', (text) => {
    expect(notes(text)).toEqual([]);
  });
});

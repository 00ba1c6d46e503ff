import { JOB_VARIABLES } from '../../core/job/job-environment.ts';
import type { Findings } from '../findings.ts';
import { formatPath, type SpecPath } from '../problem.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';

/** What a note says of keys that mean nothing here. One note stands for all keys with the same reason. */
const REASONS = {
  nodes: 'a job runs on one machine, whatever `num_nodes` says: there are no `slurm_schedulers`',
  schedulers: 'is about Slurm allocations, and there are no `slurm_schedulers`',
  outage: 'is not used: a worker keeps its jobs without contact for as long as the setting `lease` says',
  step: 'is an option of `srun`, which is used only with `mode: slurm`',
  termination: 'is not used: every job gets a signal, and time to end, before it is killed',
  roCrate: 'is not used: no RO-Crate is written',
  fileTime: 'is not used: whether a file exists is looked up when it matters',
  timeoutCode: 'is not used: a timeout has match code 152',
  oomCode: 'is not used: an attempt that ran out of memory has match code 137',
  stagger: 'is not used: workers that start together always spread their starts',
  plots: 'is not used: no plots are drawn; `holdfast report` shows the samples',
  flush: 'is not used: samples are stored when the attempt ends',
  files: 'is not used: only jobs declare files, not steps',
  machine: 'is not used: only jobs are measured, not whole machines',
  variable: 'is not used: every attempt gets this variable from Holdfast, and a job cannot override it',
} as const;

type Reason = keyof typeof REASONS;
/** `spec` is the whole file. */
type Test = (value: unknown, spec: WorkflowSpec) => boolean;
type Keys = Readonly<Record<string, Reason | readonly [Reason, Test]>>;

const isFilled: Test = (value) => Object.keys(value as object).length > 0;
const isTrue: Test = (value) => value === true;
const hasNoSchedulers: Test = (_, spec) => (spec.slurm_schedulers ?? []).length === 0;
const hasNoSteps: Test = (_, spec) => spec.execution_config?.mode !== 'slurm';
const asksForNodes: Test = (value, spec) =>
  hasNoSchedulers(value, spec) && ((value as { num_nodes?: number }).num_nodes ?? 1) > 1;
const hasOnlySteps: Test = (_, spec) => spec.steps !== undefined;
const isSwitchedOn: Test = (value) => (value as { enabled?: boolean }).enabled !== false;

/**
 * Keys that are accepted, and of which at least some values have no effect; the test says which. Every key of the
 * schema is either here or reaches the model: a test compares both with the schema.
 */
export const UNUSED_KEYS = {
  workflow: {
    slurm_defaults: ['schedulers', (value, spec) => isFilled(value, spec) && hasNoSchedulers(value, spec)],
    compute_node_expiration_buffer_seconds: ['schedulers', hasNoSchedulers],
    compute_node_wait_for_new_jobs_seconds: ['schedulers', hasNoSchedulers],
    compute_node_ignore_workflow_completion: ['schedulers', hasNoSchedulers],
    compute_node_wait_for_healthy_database_minutes: 'outage',
    compute_node_min_time_for_new_jobs_seconds: ['schedulers', hasNoSchedulers],
    enable_ro_crate: ['roCrate', isTrue],
    fingerprint: ['files', hasOnlySteps],
    fingerprint_max_size: ['files', hasOnlySteps],
    keep_failed_outputs: ['files', hasOnlySteps],
  },
  execution_config: {
    srun_termination_signal: ['step', hasNoSteps],
    srun_mpi: ['step', hasNoSteps],
    enable_cpu_bind: ['step', (value, spec) => value === true && hasNoSteps(value, spec)],
    sigkill_headroom_seconds: ['schedulers', hasNoSchedulers],
    staggered_start: ['stagger', (value) => value === false],
    timeout_exit_code: ['timeoutCode', (value) => value !== 152],
    oom_exit_code: ['oomCode', (value) => value !== 137],
  },
  resource_monitor: {
    flush_interval_seconds: 'flush',
    generate_plots: ['plots', isTrue],
    compute_node: ['machine', isSwitchedOn],
  },
  file: { st_mtime: 'fileTime', identifier: 'roCrate' },
  job: {
    resource_requirements: ['nodes', asksForNodes],
    supports_termination: 'termination',
  },
} as const satisfies Record<string, Keys>;

/** How many places a note names besides the first. */
const PLACES_NAMED = 3;

/** Notes every use of a key, and every variable in `env`, that has no effect. */
export function noteUnused(spec: WorkflowSpec, findings: Findings): void {
  const uses = new Map<Reason, SpecPath[]>();
  const use = (reason: Reason, path: SpecPath) => {
    const places = uses.get(reason) ?? [];
    uses.set(reason, places);
    places.push(path);
  };
  const look = (written: object | undefined, keys: Keys, path: SpecPath) => {
    for (const [key, rule] of Object.entries(keys)) {
      const value = (written as Record<string, unknown> | undefined)?.[key];
      if (value === undefined) continue;
      const [reason, test] = typeof rule === 'string' ? [rule] : rule;
      if (test === undefined || test(value, spec)) use(reason, [...path, key]);
    }
  };
  const lookAtEach = (section: keyof WorkflowSpec, keys: Keys) => {
    for (const [index, entry] of ((spec[section] as object[] | undefined) ?? []).entries())
      look(entry, keys, [section, index]);
  };
  look(spec, UNUSED_KEYS.workflow, []);
  look(spec.execution_config, UNUSED_KEYS.execution_config, ['execution_config']);
  look(spec.resource_monitor, UNUSED_KEYS.resource_monitor, ['resource_monitor']);
  for (const [index, requirement] of (spec.resource_requirements ?? []).entries()) {
    if (asksForNodes(requirement, spec)) use('nodes', ['resource_requirements', index, 'num_nodes']);
  }
  const lookAtVariables = (env: object | undefined, path: SpecPath) => {
    for (const name of Object.keys(env ?? {})) {
      if (JOB_VARIABLES.has(name)) use('variable', [...path, 'env', name]);
    }
  };
  lookAtVariables(spec.env, []);
  for (const [index, { env }] of (spec.jobs ?? []).entries()) lookAtVariables(env, ['jobs', index]);
  for (const [id, { env }] of Object.entries(spec.steps ?? {})) lookAtVariables(env, ['steps', id]);
  lookAtEach('files', UNUSED_KEYS.file);
  lookAtEach('jobs', UNUSED_KEYS.job);
  for (const [reason, [first, ...others]] of uses) {
    findings.note(first!, `${REASONS[reason]}${alsoAt(others)}`);
  }
}

function alsoAt(places: readonly SpecPath[]): string {
  if (places.length === 0) return '';
  const rest = places.length - PLACES_NAMED;
  const named = places.slice(0, PLACES_NAMED).map(formatPath).join(', ');
  return ` (also ${named}${rest > 0 ? ` and ${rest} more` : ''})`;
}

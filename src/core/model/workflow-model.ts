import type { SchedulerModel } from '../allocation/scheduler.ts';
import { DEFAULT_FINGERPRINT, type FingerprintPolicy } from '../files/file-mark.ts';
import type { PostCodes } from '../job/post-result.ts';
import type { Shell } from '../job/shell.ts';
import { DEFAULT_STDIO, type StdioConfig } from '../job/stdio.ts';
import type { NotifyEntry } from '../notify/notify-model.ts';
import type { ClaimOrder } from '../placement/claim-order.ts';
import type { FailureHandler } from '../policy/failure-rule.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../policy/retry-policy.ts';
import type { FailRoutes, Routes, RoutingConfig } from '../policy/routes.ts';
import type { ActionModel } from './action.ts';

/** What a worker must have free to run a job. Stored once for all jobs that ask for the same. */
export interface Requirement {
  /** Name in `resource_requirements`; null for the anonymous default. */
  name: string | null;
  /** null: nothing was asked for; the job takes one slot. */
  cpus: number | null;
  memory_bytes: number | null;
  gpus: number;
  nodes: number;
  /** Named counting resources against the workflow's `limits`. */
  resources: Record<string, number>;
  /** Its worker must have all of them. Sorted. */
  labels: string[];
  /** How long an attempt may take, as in the `timeout_ms` of the job; null: without end. */
  runtime_ms: number | null;
}

/** Of a job that asks for nothing. */
export const NO_REQUIREMENT: Requirement = {
  name: null,
  cpus: null,
  memory_bytes: null,
  gpus: 0,
  nodes: 1,
  resources: {},
  labels: [],
  runtime_ms: null,
};

/** How a step's stdout becomes its output; null for jobs, whose stdout is only a log. */
export type OutputMode = 'auto' | 'text' | 'json' | 'lines';

/** What a job needs to run and to be classified; stored with it as JSON. */
export interface JobConfig {
  command: string;
  /** The command is a Liquid template over the outputs of other steps. */
  template: boolean;
  /** What runs the command. */
  shell: Shell;
  /** Relative to where the user ran the command. */
  cwd: string | null;
  env: Record<string, string>;
  isolate: boolean;
  /** Names of network ports that every attempt is given. */
  ports: string[];
  timeout_ms: number | null;
  deadline_ms: number | null;
  scheduling_timeout_ms: number | null;
  /** false: limits are observed, not enforced. */
  limit_resources: boolean;
  /** The signal that comes first when an attempt has to end, and the time from it to SIGKILL; null: the worker's. */
  end_signal: string;
  grace_ms: number | null;
  stdio: StdioConfig;
  /** How often a sample of what an attempt uses is kept; null: never. */
  sample_ms: number | null;
  input_files: string[];
  /** Those of its inputs that no job writes: they must exist before its first attempt. */
  given_files: string[];
  output_files: string[];
  /** How its declared files are remembered, to find out later what is out of date. */
  fingerprint: FingerprintPolicy;
  /** What happens to declared outputs that a failed attempt created. */
  failed_outputs: FailedOutputs;
  user_data: UserDataUse;
  output: OutputMode | null;
  retry: RetryPolicy;
  /** Name of one of the workflow's failure handlers. */
  failure_handler: string | null;
  post: PostScript | null;
  tags: string[];
  group: string | null;
  /** Name of the scheduler whose allocations are asked for because of it; null: of any that fits. */
  scheduler: string | null;
  /** As a step of its allocation, under `srun`, where its worker is in one. */
  step: StepOptions | null;
  /** Names of the steps whose output or failures the template reads; null if they are not known beforehand. */
  reads: string[] | null;
  /** `if`: an expression; the step is disabled where it is false. */
  condition: string | null;
  /** `fail_if`: an expression over `output`; the attempt failed where it is true. */
  fail_if: string | null;
  /** Its dependents run, and the run counts as good, even if it failed. */
  continue_on_failure: boolean;
  /** The sweep that it is part of, by the name as written: all of it is canceled when one of its jobs fails; null: it is not. */
  fail_fast: string | null;
  /** Runs only when a route calls it. */
  on_call: boolean;
  /** Its output is a list; the jobs below it exist once per item. */
  for_each: boolean;
  on_fail: FailRoutes | null;
  on_success: Routes | null;
}

export const FAILED_OUTPUTS = ['in_place', 'aside', 'removed'] as const;

export type FailedOutputs = (typeof FAILED_OUTPUTS)[number];

/** Options of `srun`. */
export interface StepOptions {
  mpi: string | null;
  cpu_bind: boolean;
  /** As `SIGNAL@SECONDS`: sent to the step so long before its time is over. */
  signal: string | null;
}

/** Names of the workflow's user data that a job reads and sets. */
export interface UserDataUse {
  inputs: string[];
  outputs: string[];
  /** Those of the outputs that have a first value: they keep it if the job does not set them. */
  optional: string[];
}

/** A named JSON value that jobs pass to each other through the store. */
export interface UserDataModel {
  name: string;
  /** Its first value; null if it has none until a job sets it. */
  data: unknown;
  /** Put back to its first value when the job that sets it starts over in a new run. */
  isEphemeral: boolean;
}

/** Evaluates every attempt, successful or not: a command, or the built-in step that applies a rulebook. */
export type PostScript = PostCommand | BuiltinPost;

interface PostBasics extends PostCodes {
  /** Items that the job processes, for the post step. */
  items: string[];
}

/** A command, run by the worker of the attempt. */
export interface PostCommand extends PostBasics {
  kind: 'command';
  command: string;
  timeout_ms: number;
}

/** Runs in the worker's process: classifies the attempt by a rulebook and writes a post record. */
export interface BuiltinPost extends PostBasics {
  kind: 'builtin';
  /** Where records are written; a relative path is seen from the directory of the workflow. */
  directory: string;
  /** Name of the job in its records; null: its name in the workflow. */
  node: string | null;
  /** Name of one of the workflow's failure handlers, whose rules are a rulebook; null: without rules. */
  rulebook: string | null;
}

/** A job that says nothing but its command. */
export const DEFAULT_JOB_CONFIG: Omit<JobConfig, 'command'> = {
  template: false,
  shell: 'bash',
  cwd: null,
  env: {},
  isolate: false,
  ports: [],
  timeout_ms: null,
  deadline_ms: null,
  scheduling_timeout_ms: null,
  limit_resources: true,
  end_signal: 'SIGTERM',
  grace_ms: null,
  stdio: DEFAULT_STDIO,
  sample_ms: null,
  input_files: [],
  given_files: [],
  output_files: [],
  fingerprint: DEFAULT_FINGERPRINT,
  failed_outputs: 'in_place',
  user_data: { inputs: [], outputs: [], optional: [] },
  output: null,
  retry: DEFAULT_RETRY,
  failure_handler: null,
  post: null,
  tags: [],
  group: null,
  scheduler: null,
  step: null,
  reads: [],
  condition: null,
  fail_if: null,
  continue_on_failure: false,
  fail_fast: null,
  on_call: false,
  for_each: false,
  on_fail: null,
  on_success: null,
};

export interface JobModel {
  name: string;
  /**
   * '' is the root scope. Below a step with forEach it is a pattern such as `list[*]` or `list[*]/parts[*]`: the job
   * is a blueprint of which there will be one job per item.
   */
  scope: string;
  priority: number;
  cancelOnBlockingJobFailure: boolean;
  /** Index into WorkflowModel.dependencySets; null without dependencies. */
  dependencySet: number | null;
  /** Index into WorkflowModel.requirements. */
  requirement: number;
  config: JobConfig;
}

/** What jobs wait for. Every member must have succeeded, unless it is in one of the other lists. */
export interface DependencySet {
  /** Sorted job indexes, all of them. */
  members: number[];
  /** Members of which it is enough that they have ended: the items that a reduce step joins. */
  joined: number[];
  /** Members whose items a reduce step joins: where one is disabled there are no items, and the step runs all the same. */
  producers: number[];
  /** Groups of members of which one success is enough (`a|b`). */
  anyOf: number[][];
}

/** One validated, normalised workflow: what every spec format becomes. */
export interface WorkflowModel {
  name: string;
  description: string | null;
  user: string | null;
  project: string | null;
  /** A text is kept as it is, unless it is JSON of an object. */
  metadata: Record<string, unknown> | string;
  variables: Record<string, unknown>;
  limits: Record<string, number>;
  maxParallel: number | null;
  /** Which of the ready jobs of one priority are claimed first. */
  claimOrder: ClaimOrder;
  usePendingFailed: boolean;
  /** Who may see and change it besides its owner; absent: no group. */
  accessGroups?: string[];
  failureHandlers: FailureHandler[];
  actions: ActionModel[];
  /** Absent: the spec names nobody to notify. */
  notify?: NotifyEntry[];
  /** Absent: it asks for no allocations. */
  schedulers?: SchedulerModel[];
  /** Absent: the workflow has none. */
  userData: UserDataModel[];
  routing: RoutingConfig;
  requirements: Requirement[];
  /** Equal sets are stored once. */
  dependencySets: DependencySet[];
  /** Indexes of sets that are stored and counted although no job may wait for them; absent: there are none. */
  countedSets?: readonly number[];
  /** Those of a spec are made when they are read, so that no two reads give the same object. */
  jobs: readonly JobModel[];
  /** Why each dependency is there, for `plan`: `dependencySets[i]` ↔ reasons by job index. Once per pair kind. */
  dependencyReasons: DependencyReason[];
}

/** `job` waits for the jobs of its set because of these. */
export interface DependencyReason {
  job: number;
  kind: 'depends_on' | 'depends_on_regexes' | 'file' | 'user_data' | 'written order';
  /** The name, pattern or path that made the dependency. */
  via: string;
}

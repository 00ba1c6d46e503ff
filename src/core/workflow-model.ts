import type { ActionModel } from './action.ts';
import type { FailureHandler } from './failure-rule.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './retry-policy.ts';
import type { FailRoutes, Routes, RoutingConfig } from './routes.ts';

/** What a worker must have free to run a job. Stored once for all jobs that ask for the same. */
export interface Requirement {
  /** Name in `resource_requirements`; null for the anonymous default. */
  name: string | null;
  /** null: nothing was asked for; the job takes one slot. */
  cpus: number | null;
  memoryBytes: number | null;
  gpus: number;
  nodes: number;
  /** Named counting resources against the workflow's `limits`. */
  resources: Record<string, number>;
}

/** How a step's stdout becomes its output; null for jobs, whose stdout is only a log. */
export type OutputMode = 'auto' | 'text' | 'json' | 'lines';

/** What a job needs to run and to be judged; stored with it as JSON. */
export interface JobConfig {
  command: string;
  /** The command is a Liquid template over the outputs of other steps. */
  template: boolean;
  /** Relative to where the user ran the command. */
  cwd: string | null;
  env: Record<string, string>;
  isolate: boolean;
  /** Names of network ports that every attempt is given. */
  ports: string[];
  timeoutMs: number | null;
  deadlineMs: number | null;
  schedulingTimeoutMs: number | null;
  /** false: limits are observed, not enforced. */
  limitResources: boolean;
  inputFiles: string[];
  outputFiles: string[];
  userData: UserDataUse;
  output: OutputMode | null;
  retry: RetryPolicy;
  /** Name of one of the workflow's failure handlers. */
  failureHandler: string | null;
  post: PostScript | null;
  labels: string[];
  tags: string[];
  group: string | null;
  /** Names of the steps whose output or failures the template reads; null if they cannot be told beforehand. */
  reads: string[] | null;
  /** `if`: an expression; the step is disabled where it is false. */
  condition: string | null;
  /** `fail_if`: an expression over `output`; the attempt failed where it is true. */
  failIf: string | null;
  /** Its dependents run, and the run counts as good, even if it failed. */
  continueOnFailure: boolean;
  /** Runs only when a route calls it. */
  onCall: boolean;
  /** Its output is a list; the jobs below it exist once per item. */
  forEach: boolean;
  onFail: FailRoutes | null;
  onSuccess: Routes | null;
}

/** Names of the workflow's user data that a job reads and sets. */
export interface UserDataUse {
  inputs: string[];
  outputs: string[];
}

/** A named JSON value that jobs pass to each other through the store. */
export interface UserDataModel {
  name: string;
  /** Its first value; null if it has none until a job sets it. */
  data: unknown;
  /** Put back to its first value when the job that sets it starts over in a new run. */
  isEphemeral: boolean;
}

/** Judges every attempt, successful or not. */
export interface PostScript {
  command: string;
  timeoutMs: number;
}

/** A job that says nothing but its command. */
export const DEFAULT_JOB_CONFIG: Omit<JobConfig, 'command'> = {
  template: false,
  cwd: null,
  env: {},
  isolate: false,
  ports: [],
  timeoutMs: null,
  deadlineMs: null,
  schedulingTimeoutMs: null,
  limitResources: true,
  inputFiles: [],
  outputFiles: [],
  userData: { inputs: [], outputs: [] },
  output: null,
  retry: DEFAULT_RETRY,
  failureHandler: null,
  post: null,
  labels: [],
  tags: [],
  group: null,
  reads: [],
  condition: null,
  failIf: null,
  continueOnFailure: false,
  onCall: false,
  forEach: false,
  onFail: null,
  onSuccess: null,
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

/** What jobs wait for. Every member must have succeeded, unless it is in one of the other two lists. */
export interface DependencySet {
  /** Sorted job indexes, all of them. */
  members: number[];
  /** Members of which it is enough that they have ended: the items that a reduce step joins. */
  joined: number[];
  /** Groups of members of which one success is enough (`a|b`). */
  anyOf: number[][];
}

/** One validated, normalised workflow: what every spec format becomes. */
export interface WorkflowModel {
  name: string;
  description: string | null;
  user: string | null;
  project: string | null;
  metadata: Record<string, unknown>;
  variables: Record<string, unknown>;
  limits: Record<string, number>;
  maxParallel: number | null;
  usePendingFailed: boolean;
  failureHandlers: FailureHandler[];
  actions: ActionModel[];
  /** Absent: the workflow has none. */
  userData: UserDataModel[];
  routing: RoutingConfig;
  requirements: Requirement[];
  /** Equal sets are stored once. */
  dependencySets: DependencySet[];
  jobs: JobModel[];
  /** Why each dependency is there, for `plan`: `dependencySets[i]` ↔ reasons by job index. Told once per pair kind. */
  dependencyReasons: DependencyReason[];
}

/** `job` waits for the jobs of its set because of these. */
export interface DependencyReason {
  job: number;
  kind: 'depends_on' | 'depends_on_regexes' | 'file' | 'user_data' | 'written order';
  /** The name, pattern or path that made the dependency. */
  via: string;
}

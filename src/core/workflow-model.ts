import type { ActionModel } from './action.ts';
import type { FailureHandler } from './failure-rule.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './retry-policy.ts';

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
};

export interface JobModel {
  name: string;
  /** '' is the root scope. */
  scope: string;
  priority: number;
  cancelOnBlockingJobFailure: boolean;
  /** Index into WorkflowModel.dependencySets; null without dependencies. */
  dependencySet: number | null;
  /** Index into WorkflowModel.requirements. */
  requirement: number;
  config: JobConfig;
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
  requirements: Requirement[];
  /** Sorted job indexes; equal sets are stored once. */
  dependencySets: number[][];
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

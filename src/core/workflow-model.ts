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
  timeoutMs: number | null;
  deadlineMs: number | null;
  schedulingTimeoutMs: number | null;
  /** false: limits are observed, not enforced. */
  limitResources: boolean;
  inputFiles: string[];
  outputFiles: string[];
  output: OutputMode | null;
  retry: RetryPolicy;
  labels: string[];
  tags: string[];
  group: string | null;
}

/** A job that says nothing but its command. */
export const DEFAULT_JOB_CONFIG: Omit<JobConfig, 'command'> = {
  template: false,
  cwd: null,
  env: {},
  isolate: false,
  timeoutMs: null,
  deadlineMs: null,
  schedulingTimeoutMs: null,
  limitResources: true,
  inputFiles: [],
  outputFiles: [],
  output: null,
  retry: DEFAULT_RETRY,
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
  kind: 'depends_on' | 'depends_on_regexes' | 'file' | 'written order';
  /** The name, pattern or path that made the dependency. */
  via: string;
}

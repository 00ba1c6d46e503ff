import type { SchedulerModel } from '../../src/core/allocation/scheduler.ts';
import { DEFAULT_POST_CODES } from '../../src/core/job/post-result.ts';
import { DEFAULT_STDIO, type StdioMode } from '../../src/core/job/stdio.ts';
import type { ActionModel } from '../../src/core/model/action.ts';
import {
  type BuiltinPost,
  DEFAULT_JOB_CONFIG,
  type DependencySet,
  type PostScript,
  type Requirement,
  type WorkflowModel,
} from '../../src/core/model/workflow-model.ts';
import type { NotifyEntry } from '../../src/core/notify/notify-model.ts';
import type { ClaimOrder } from '../../src/core/placement/claim-order.ts';
import type { FailureHandler } from '../../src/core/policy/failure-rule.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../../src/core/policy/retry-policy.ts';
import {
  DEFAULT_REATTEMPT,
  DEFAULT_ROUTING,
  type FailRoutes,
  type Routes,
} from '../../src/core/policy/routes.ts';

const NO_ROUTES: Routes = { run: [], run_js: null, goto: null, goto_js: null };

export interface SimpleJob {
  name: string;
  command?: string;
  after?: string[];
  retry?: Partial<RetryPolicy>;
  deadlineMs?: number;
  schedulingTimeoutMs?: number;
  priority?: number;
  runsAfterFailure?: boolean;
  cpus?: number;
  memoryBytes?: number;
  gpus?: number;
  nodes?: number;
  /** Sorted. */
  labels?: string[];
  timeoutMs?: number;
  stdio?: StdioMode;
  resources?: Record<string, number>;
  handler?: string;
  /** The command of its post script, or the built-in step with these settings. */
  post?: string | Partial<BuiltinPost>;
  onFail?: Partial<FailRoutes>;
  onSuccess?: Partial<Routes>;
  onCall?: boolean;
  scheduler?: string;
  /** Name of its sweep. */
  failFast?: string;
}

function postOf(post: SimpleJob['post']): PostScript | null {
  if (post === undefined) return null;
  const basics = { ...DEFAULT_POST_CODES, items: [] };
  return typeof post === 'string'
    ? { kind: 'command', command: post, timeout_ms: 1000, ...basics }
    : { kind: 'builtin', directory: 'records', node: null, rulebook: null, ...basics, ...post };
}

/** A workflow model as loadSpec would make it, without the spec. */
export function simpleModel(
  jobs: SimpleJob[],
  options: {
    limits?: Record<string, number>;
    maxParallel?: number;
    handlers?: FailureHandler[];
    actions?: ActionModel[];
    usePendingFailed?: boolean;
    maxLoops?: number;
    claimOrder?: ClaimOrder;
    schedulers?: SchedulerModel[];
    notify?: NotifyEntry[];
  } = {},
): WorkflowModel {
  const index = new Map(jobs.map((job, position) => [job.name, position]));
  const requirements: Requirement[] = [];
  const requirementKeys = new Map<string, number>();
  const dependencySets: DependencySet[] = [];
  const setKeys = new Map<string, number>();
  const once = <T>(keys: Map<string, number>, list: T[], value: T): number => {
    const key = JSON.stringify(value);
    const known = keys.get(key);
    if (known !== undefined) return known;
    keys.set(key, list.length);
    return list.push(value) - 1;
  };
  return {
    name: 'simple',
    description: null,
    user: null,
    project: null,
    metadata: {},
    variables: {},
    limits: options.limits ?? {},
    maxParallel: options.maxParallel ?? null,
    claimOrder: options.claimOrder ?? 'none',
    usePendingFailed: options.usePendingFailed ?? false,
    failureHandlers: options.handlers ?? [],
    actions: options.actions ?? [],
    ...(options.notify && { notify: options.notify }),
    ...(options.schedulers && { schedulers: options.schedulers }),
    userData: [],
    routing: { ...DEFAULT_ROUTING, maxLoops: options.maxLoops ?? DEFAULT_ROUTING.maxLoops },
    requirements,
    dependencySets,
    dependencyReasons: [],
    jobs: jobs.map((job) => ({
      name: job.name,
      scope: '',
      priority: job.priority ?? 0,
      cancelOnBlockingJobFailure: !job.runsAfterFailure,
      dependencySet: job.after?.length
        ? once(setKeys, dependencySets, {
            members: job.after.map((name) => index.get(name)!).sort((a, b) => a - b),
            joined: [],
            producers: [],
            anyOf: [],
          })
        : null,
      requirement: once(requirementKeys, requirements, {
        name: null,
        cpus: job.cpus ?? null,
        memory_bytes: job.memoryBytes ?? null,
        gpus: job.gpus ?? 0,
        nodes: job.nodes ?? 1,
        resources: job.resources ?? {},
        labels: job.labels ?? [],
        runtime_ms: job.timeoutMs ?? null,
      }),
      config: {
        ...DEFAULT_JOB_CONFIG,
        command: job.command ?? 'true',
        timeout_ms: job.timeoutMs ?? null,
        deadline_ms: job.deadlineMs ?? null,
        stdio: { ...DEFAULT_STDIO, mode: job.stdio ?? DEFAULT_STDIO.mode },
        scheduling_timeout_ms: job.schedulingTimeoutMs ?? null,
        retry: { ...DEFAULT_RETRY, ...job.retry },
        failure_handler: job.handler ?? null,
        on_call: job.onCall ?? false,
        scheduler: job.scheduler ?? null,
        fail_fast: job.failFast ?? null,
        on_fail: job.onFail ? { ...NO_ROUTES, reattempt: DEFAULT_REATTEMPT, ...job.onFail } : null,
        on_success: job.onSuccess ? { ...NO_ROUTES, ...job.onSuccess } : null,
        post: postOf(job.post),
      },
    })),
  };
}

import type { ActionModel } from '../../src/core/action.ts';
import type { FailureHandler } from '../../src/core/failure-rule.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../../src/core/retry-policy.ts';
import { DEFAULT_REATTEMPT, DEFAULT_ROUTING, type FailRoutes, type Routes } from '../../src/core/routes.ts';
import {
  DEFAULT_JOB_CONFIG,
  type DependencySet,
  type Requirement,
  type WorkflowModel,
} from '../../src/core/workflow-model.ts';

const NO_ROUTES: Routes = { run: [], runJs: null, goto: null, gotoJs: null };

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
  resources?: Record<string, number>;
  handler?: string;
  post?: string;
  onFail?: Partial<FailRoutes>;
  onSuccess?: Partial<Routes>;
  onCall?: boolean;
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
    usePendingFailed: options.usePendingFailed ?? false,
    failureHandlers: options.handlers ?? [],
    actions: options.actions ?? [],
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
            anyOf: [],
          })
        : null,
      requirement: once(requirementKeys, requirements, {
        name: null,
        cpus: job.cpus ?? null,
        memoryBytes: job.memoryBytes ?? null,
        gpus: 0,
        nodes: 1,
        resources: job.resources ?? {},
      }),
      config: {
        ...DEFAULT_JOB_CONFIG,
        command: job.command ?? 'true',
        deadlineMs: job.deadlineMs ?? null,
        schedulingTimeoutMs: job.schedulingTimeoutMs ?? null,
        retry: { ...DEFAULT_RETRY, ...job.retry },
        failureHandler: job.handler ?? null,
        onCall: job.onCall ?? false,
        onFail: job.onFail ? { ...NO_ROUTES, reattempt: DEFAULT_REATTEMPT, ...job.onFail } : null,
        onSuccess: job.onSuccess ? { ...NO_ROUTES, ...job.onSuccess } : null,
        post: job.post === undefined ? null : { command: job.post, timeoutMs: 1000 },
      },
    })),
  };
}

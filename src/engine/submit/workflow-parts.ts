import { createHash } from 'node:crypto';
import type { NewWorkflow } from '../../contract/engine.ts';
import { ownerOf } from '../../core/access/may-change.ts';
import { MEMBER_JOINED, MEMBER_PLAIN, MEMBER_PRODUCER } from '../../core/flow/flow-part.ts';
import type { JobModel, WorkflowModel } from '../../core/model/workflow-model.ts';
import type {
  StoredJob,
  SubmittedWorkflow,
  WorkflowHead,
  WorkflowPart,
} from '../../core/model/workflow-parts.ts';
import { type Asking, claimRanks } from '../../core/placement/claim-order.ts';
import { encodeConfig } from '../../store/rows/jobs/job-rows.ts';
import { encodeUserData } from '../../store/rows/workflows/user-data-rows.ts';

/**
 * A part of this many rows, or of this much text, takes about ten milliseconds to store. With parts of 100 rows, a third of
 * the time of storing a million jobs went into commits.
 */
const MOST_ROWS = 500;
const MOST_TEXT = 256 * 1024;

export function prepareWorkflow(workflow: NewWorkflow): SubmittedWorkflow {
  const { model, source, cwd, output_dir, actor, shared = false, idempotency_key = null } = workflow;
  const { executor = 'workers', until = null } = workflow;
  const content =
    idempotency_key === null
      ? ''
      : JSON.stringify([source ?? model, cwd, output_dir, executor, ...(until ?? [])]);
  return {
    head: workflowHead(model),
    cwd,
    output_dir,
    actor,
    owner: ownerOf(actor),
    shared,
    executor,
    until,
    idempotency_key,
    digest: createHash('sha256').update(content).digest('hex'),
  };
}

/** The workflow itself, without what it consists of. */
export function workflowHead(model: WorkflowModel): WorkflowHead {
  return {
    name: model.name,
    description: model.description,
    user: model.user,
    project: model.project,
    metadata: JSON.stringify(model.metadata),
    variables: JSON.stringify(model.variables),
    routing: JSON.stringify(model.routing),
    limits: JSON.stringify(model.limits),
    notify: JSON.stringify(model.notify ?? []),
    max_parallel: model.maxParallel,
    use_pending_failed: model.usePendingFailed,
    access_groups: JSON.stringify(model.accessGroups ?? []),
    request_id: null,
    sites: null,
    job_count: model.jobs.length,
    rows: rowsOf(model),
  };
}

function rowsOf(model: WorkflowModel) {
  const { requirements, failureHandlers, userData, dependencySets, jobs, actions, schedulers = [] } = model;
  const members = dependencySets.reduce((sum, { members }) => sum + members.length, 0);
  const watched = actions.reduce((sum, action) => sum + action.jobs.length, 0);
  const lists = [requirements, schedulers, failureHandlers, userData, dependencySets, jobs, actions];
  return lists.reduce((sum, list) => sum + list.length, members + watched);
}

/** What a model consists of, in the order in which it is stored. */
export function* workflowParts(model: WorkflowModel): Generator<WorkflowPart> {
  const { requirements, failureHandlers, userData, jobs, actions } = model;
  yield* splitRows('requirements', requirements);
  yield* splitRows('schedulers', model.schedulers ?? []);
  yield* splitRows(
    'handlers',
    mapped(failureHandlers, ({ name, rules }) => ({ name, rules: JSON.stringify(rules) })),
  );
  yield* splitRows(
    'user_data',
    mapped(userData, ({ name, data, isEphemeral }) => ({
      name,
      data: encodeUserData(data),
      is_ephemeral: isEphemeral,
    })),
  );
  const counted = countedSets(model);
  yield* splitRows('sets', setSizes(model, counted));
  const ranks = claimRanks(asking(model), model.claimOrder);
  yield* splitRows(
    'jobs',
    mapped(jobs.entries(), ([index, job]) => storedJob(job, ranks[index] ?? 0)),
  );
  yield* splitRows('members', membersOf(model, counted));
  yield* splitRows(
    'actions',
    mapped(actions, ({ jobs: _, ...action }) => action),
  );
  yield* splitRows('watched', watchedBy(model));
}

function storedJob(
  { name, scope, priority, requirement, config, ...job }: JobModel,
  claimRank: number,
): StoredJob {
  const { on_call: onCall } = config;
  // A step on call waits for nothing but a call.
  const set = onCall ? null : job.dependencySet;
  return {
    name,
    scope,
    status: onCall ? 'disabled' : set === null ? 'ready' : 'blocked',
    priority,
    claim_rank: claimRank,
    requirement,
    dependency_set: set,
    failure_handler: config.failure_handler,
    cancel_on_failure: job.cancelOnBlockingJobFailure,
    scheduling_timeout_ms: config.scheduling_timeout_ms,
    on_call: onCall,
    blueprint: scope !== '',
    continue_on_failure: config.continue_on_failure,
    fail_fast: config.fail_fast,
    stdio: config.stdio.mode,
    scheduler: config.scheduler,
    config: encodeConfig(config),
  };
}

type Sets = ReadonlySet<number | null>;

/** Those that a job waits for, or a unit is counted by. */
function countedSets({ dependencySets, jobs, countedSets: besides = [] }: WorkflowModel): Sets {
  const counted = new Set<number | null>(besides);
  if (dependencySets.length === 0) return counted;
  for (const job of jobs) if (!job.config.on_call) counted.add(job.dependencySet);
  return counted;
}

function* asking({ jobs, requirements }: WorkflowModel): Generator<Asking> {
  for (const { requirement, config } of jobs) {
    yield { requirement: requirements[requirement]!, runtimeMs: config.timeout_ms };
  }
}

/** A group of alternatives counts once. */
function* setSizes({ dependencySets }: WorkflowModel, counted: Sets): Generator<number | null> {
  for (const [set, { members, anyOf }] of dependencySets.entries()) {
    yield counted.has(set) ? members.length - new Set(anyOf.flat()).size + anyOf.length : null;
  }
}

function* membersOf({ dependencySets }: WorkflowModel, counted: Sets) {
  for (const [set, { members, joined, producers, anyOf }] of dependencySets.entries()) {
    if (!counted.has(set)) continue;
    const kinds = new Map(producers.map((member) => [member, MEMBER_PRODUCER]));
    for (const member of joined) kinds.set(member, MEMBER_JOINED);
    for (const [group, alternatives] of anyOf.entries()) {
      for (const member of alternatives) kinds.set(member, group + 1);
    }
    for (const job of members) yield { set, job, kind: kinds.get(job) ?? MEMBER_PLAIN };
  }
}

function* watchedBy({ actions }: WorkflowModel) {
  for (const [action, { jobs }] of actions.entries()) for (const job of jobs) yield { action, job };
}

function* mapped<T, U>(items: Iterable<T>, change: (item: T) => U): Generator<U> {
  for (const item of items) yield change(item);
}

export function* splitRows<K extends WorkflowPart['kind']>(
  kind: K,
  all: Iterable<Extract<WorkflowPart, { kind: K }>['rows'][number]>,
  mostRows = MOST_ROWS,
): Generator<WorkflowPart> {
  let rows: unknown[] = [];
  let text = 0;
  for (const row of all) {
    rows.push(row);
    text += textIn(row);
    if (rows.length < mostRows && text < MOST_TEXT) continue;
    yield { kind, rows } as WorkflowPart;
    rows = [];
    text = 0;
  }
  if (rows.length > 0) yield { kind, rows } as WorkflowPart;
}

function textIn(row: unknown): number {
  if (typeof row !== 'object' || row === null) return 0;
  let length = 0;
  for (const key in row) {
    const value = (row as Record<string, unknown>)[key];
    if (typeof value === 'string') length += value.length;
  }
  return length;
}

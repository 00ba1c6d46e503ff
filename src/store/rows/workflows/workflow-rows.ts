import type { Reader } from '../../../contract/by.ts';
import type { WorkflowExecutor } from '../../../core/allocation/executor.ts';
import type { Requirement } from '../../../core/model/workflow-model.ts';
import type { WorkflowHead } from '../../../core/model/workflow-parts.ts';
import { EXCLUSIVE, lockWorkflows } from '../../lock-rows.ts';
import { all, first, insert, placeholders, run, type Script, type SqlValue, searched } from '../../script.ts';
import { readable } from '../access/readable.ts';
import { HAS_UNDONE_ACTIONS } from '../errands/action-rows.ts';
import { hasWaitingEvaluations } from '../errands/errand-rows.ts';
import { HAS_TO_BE_SCHEDULED } from '../jobs/state-columns.ts';

export interface WorkflowRow {
  id: number;
  name: string;
  description: string | null;
  /** What the spec says in `user`. */
  owner: string | null;
  project: string | null;
  variables: string;
  routing: string;
  limits: string;
  /** Entries of `notify` of the spec, and targets of the configuration of the process that drives it, in JSON. */
  notify: string;
  subscribers: string;
  /** A failure or a wait was the last edge of it. */
  troubled: number;
  max_parallel: number | null;
  use_pending_failed: number;
  cwd: string;
  output_dir: string;
  run_id: number;
  job_count: number;
  shared: number;
  executor: WorkflowExecutor;
  created_at: number;
  /** Since when lists leave it out. */
  archived_at: number | null;
  /** What its run is to end at, in JSON; null: at the end of everything. */
  until: string | null;
  /** Options of the process that ran it last, in JSON. */
  run_settings: string | null;
  /** Set while it is paused. */
  paused_at: number | null;
  paused_by: string | null;
  pause_reason: string | null;
  /** Its running attempts are to be ended. */
  stopping: number;
  /** The request of which it is a round. */
  request_id: number | null;
  /** The only sites at which its jobs may run, in JSON; null: any. */
  sites: string | null;
  /** Who may change it: the token that created it, and these groups, in JSON. */
  owned_by: string;
  access_groups: string;
}

const COLUMNS =
  'id, name, description, owner, project, variables, routing, limits, notify, subscribers, troubled, max_parallel, use_pending_failed, cwd, output_dir, run_id, job_count, shared, executor, created_at, archived_at, until, run_settings, paused_at, paused_by, pause_reason, stopping, request_id, sites, owned_by, access_groups';

/** It is hidden until `storing_until` is null. */
export function* insertWorkflow(
  head: WorkflowHead,
  place: {
    cwd: string;
    output_dir: string;
    shared: boolean;
    executor: WorkflowExecutor;
    owner: string;
    created_at: number;
    storing_until: number | null;
  },
): Script<number> {
  return yield* insert(
    `insert into workflow (name, description, owner, project, metadata, variables, routing, limits, notify, max_parallel,
      use_pending_failed, cwd, output_dir, job_count, shared, executor, created_at, storing_until, request_id, sites,
      owned_by, access_groups)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    head.name,
    head.description,
    head.user,
    head.project,
    head.metadata,
    head.variables,
    head.routing,
    head.limits,
    head.notify,
    head.max_parallel,
    head.use_pending_failed ? 1 : 0,
    place.cwd,
    place.output_dir,
    head.job_count,
    place.shared ? 1 : 0,
    place.executor,
    place.created_at,
    place.storing_until,
    head.request_id,
    head.sites === null ? null : JSON.stringify(head.sites),
    place.owner,
    head.access_groups,
  );
}

export function* findWorkflow(id: number): Script<WorkflowRow | undefined> {
  return yield* first<WorkflowRow>(
    `select ${COLUMNS} from workflow where id = ? and storing_until is null`,
    id,
  );
}

/** Newest first, below the id `before`. */
export function* listWorkflows(
  before: number,
  limit: number,
  archived: boolean,
  reader?: Reader,
): Script<WorkflowRow[]> {
  const { sql, values } = readable('workflow', reader);
  return yield* all<WorkflowRow>(
    `select ${COLUMNS} from workflow where id < ? and storing_until is null
       and archived_at is ${archived ? 'not null' : 'null'}${sql} order by id desc limit ?`,
    before,
    ...values,
    limit,
  );
}

/** A workflow and the request of which it is a round. */
export interface NamedWorkflowRow extends WorkflowRow {
  request_name: string | null;
}

/** Newest first, below the id `before`. `isOpen`: only those whose current run has not ended. */
export function* searchWorkflows(
  before: number,
  limit: number,
  { name, archived, isOpen }: { name: string | null; archived: boolean; isOpen: boolean },
  reader?: Reader,
): Script<NamedWorkflowRow[]> {
  const visible = readable('workflow', reader);
  const conditions = [
    `workflow.id < ? and workflow.storing_until is null and workflow.archived_at is ${archived ? 'not null' : 'null'}${visible.sql}`,
  ];
  const values: SqlValue[] = [before, ...visible.values];
  if (name !== null) {
    conditions.push(`lower(workflow.name) like ? escape '\\'`);
    values.push(searched(name));
  }
  if (isOpen) {
    conditions.push(`exists (select 1 from run where run.workflow_id = workflow.id
      and run.run_id = workflow.run_id and run.finished_at is null)`);
  }
  return yield* all<NamedWorkflowRow>(
    `select ${COLUMNS}, (select request.name from request where request.id = workflow.request_id) as request_name
     from workflow where ${conditions.join(' and ')} order by id desc limit ?`,
    ...values,
    limit,
  );
}

/** Shared workflows that are there, and whose current run is not complete or has actions left to do. */
export const SHARED_OPEN = `workflow.shared = 1 and workflow.storing_until is null and (workflow.id in (
    select run.workflow_id from run where run.finished_at is null
  ) or ${HAS_UNDONE_ACTIONS})`;

/** What workers of a server have to look at, oldest first. */
export function* listSharedWorkflows(): Script<number[]> {
  const rows = yield* all<{ id: number }>(`select id from workflow where ${SHARED_OPEN} order by id`);
  return rows.map((row) => row.id);
}

/**
 * Locks those of the same workflows that nobody else has locked, without waiting: for claims, which may be made
 * elsewhere meanwhile. Ones that this transaction has locked before count as free. On SQLite all are free.
 */
export function* lockFreeSharedWorkflows(): Script<WorkflowRow[]> {
  const { rows } = yield {
    sql: `select ${COLUMNS} from workflow where ${SHARED_OPEN} order by id`,
    values: [],
    locking: `${EXCLUSIVE} skip locked`,
  };
  return rows as unknown as WorkflowRow[];
}

/** Waits for the workflows until nobody else has them locked. Those that are hidden are not there. */
export function* takeWorkflows(ids: readonly number[]): Script<WorkflowRow[]> {
  yield* lockWorkflows(ids);
  return yield* all<WorkflowRow>(
    `select ${COLUMNS} from workflow where id in ${placeholders(ids.length)} and storing_until is null order by id`,
    ...ids,
  );
}

/** What has to be done in a workflow before jobs are claimed, if there is anything. */
export interface Dues {
  /** It has actions, due or not. */
  actions: boolean;
  /** Code waits for any worker to evaluate it. */
  questions: boolean;
  /** Ready jobs waited too long for their first start. */
  unscheduled: boolean;
}

export function* findDues(workflowId: number, now: number): Script<Dues> {
  const found = yield* first<Record<keyof Dues, number>>(
    `select
       case when exists (select 1 from action where workflow_id = ? and removed = 0 and schedule is null) then 1 else 0 end as actions,
       case when ${hasWaitingEvaluations('?')} then 1 else 0 end as questions,
       case when exists (select 1 from job where workflow_id = ? and ${HAS_TO_BE_SCHEDULED}
         and waiting_until <= ?) then 1 else 0 end as unscheduled`,
    workflowId,
    workflowId,
    workflowId,
    now,
  );
  const { actions, questions, unscheduled } = found!;
  return { actions: actions === 1, questions: questions === 1, unscheduled: unscheduled === 1 };
}

export function* insertRequirement(workflowId: number, requirement: Requirement): Script<number> {
  return yield* insert(
    `insert into requirement (workflow_id, name, cpus, memory_bytes, gpus, nodes, resources, labels, runtime_ms)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    workflowId,
    requirement.name,
    requirement.cpus,
    requirement.memory_bytes,
    requirement.gpus,
    requirement.nodes,
    JSON.stringify(requirement.resources),
    JSON.stringify(requirement.labels),
    requirement.runtime_ms,
  );
}

export type StoredRequirement = Requirement & { id: number };

interface RequirementRow {
  id: number;
  name: string | null;
  cpus: number | null;
  memory_bytes: number | null;
  gpus: number;
  nodes: number;
  resources: string;
  labels: string;
  runtime_ms: number | null;
}

export function* listRequirements(workflowId: number): Script<StoredRequirement[]> {
  const rows = yield* all<RequirementRow>(
    `select id, name, cpus, memory_bytes, gpus, nodes, resources, labels, runtime_ms from requirement
     where workflow_id = ? order by id`,
    workflowId,
  );
  return rows.map(storedRequirement);
}

function storedRequirement(row: RequirementRow): StoredRequirement {
  return {
    id: row.id,
    name: row.name,
    cpus: row.cpus,
    memory_bytes: row.memory_bytes,
    gpus: row.gpus,
    nodes: row.nodes,
    resources: JSON.parse(row.resources) as Record<string, number>,
    labels: JSON.parse(row.labels) as string[],
    runtime_ms: row.runtime_ms,
  };
}

export function* setCurrentRun(workflowId: number, runId: number): Script<void> {
  yield* run('update workflow set run_id = ? where id = ?', runId, workflowId);
}

/** Its schedulers are used from now on. */
export function* setExecutor(workflowId: number, executor: WorkflowExecutor): Script<void> {
  yield* run('update workflow set executor = ? where id = ?', executor, workflowId);
}

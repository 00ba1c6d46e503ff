import type { Requirement, WorkflowModel } from '../core/workflow-model.ts';
import { EXCLUSIVE, lockWorkflows } from './lock-rows.ts';
import { all, change, first, insert, placeholders, run, type Script } from './script.ts';

export interface WorkflowRow {
  id: number;
  name: string;
  description: string | null;
  owner: string | null;
  project: string | null;
  variables: string;
  routing: string;
  limits: string;
  max_parallel: number | null;
  use_pending_failed: number;
  cwd: string;
  output_dir: string;
  run_id: number;
  job_count: number;
  shared: number;
  created_at: number;
}

const COLUMNS =
  'id, name, description, owner, project, variables, routing, limits, max_parallel, use_pending_failed, cwd, output_dir, run_id, job_count, shared, created_at';

export function* insertWorkflow(
  model: WorkflowModel,
  place: { cwd: string; output_dir: string; shared: boolean; created_at: number },
): Script<number> {
  return yield* insert(
    `insert into workflow (name, description, owner, project, metadata, variables, routing, limits, max_parallel,
      use_pending_failed, cwd, output_dir, job_count, shared, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    model.name,
    model.description,
    model.user,
    model.project,
    JSON.stringify(model.metadata),
    JSON.stringify(model.variables),
    JSON.stringify(model.routing),
    JSON.stringify(model.limits),
    model.maxParallel,
    model.usePendingFailed ? 1 : 0,
    place.cwd,
    place.output_dir,
    model.jobs.length,
    place.shared ? 1 : 0,
    place.created_at,
  );
}

export function* findWorkflow(id: number): Script<WorkflowRow | undefined> {
  return yield* first<WorkflowRow>(`select ${COLUMNS} from workflow where id = ?`, id);
}

/** Newest first, below the id `before`. */
export function* listWorkflows(before: number, limit: number): Script<WorkflowRow[]> {
  return yield* all<WorkflowRow>(
    `select ${COLUMNS} from workflow where id < ? order by id desc limit ?`,
    before,
    limit,
  );
}

/** Shared workflows whose current run has not ended, or whose end is still to be acted upon. */
const SHARED_OPEN = `workflow.shared = 1 and (workflow.id in (
    select run.workflow_id from run where run.finished_at is null
  ) or workflow.id in (
    select action.workflow_id from action where action.trigger_type = 'on_workflow_complete' and not exists (
      select 1 from action_run where action_run.action_id = action.id and action_run.run_id = workflow.run_id)
  ))`;

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

/** Waits for the workflows until nobody else has them locked. */
export function* takeWorkflows(ids: readonly number[]): Script<WorkflowRow[]> {
  yield* lockWorkflows(ids);
  return yield* all<WorkflowRow>(
    `select ${COLUMNS} from workflow where id in ${placeholders(ids.length)} order by id`,
    ...ids,
  );
}

/** What has to be done in a workflow before jobs are claimed, if there is anything. */
export interface Dues {
  /** It has actions, due or not. */
  actions: boolean;
  /** Code of routes is to be evaluated. */
  questions: boolean;
  /** Ready jobs waited too long for their first start. */
  unscheduled: boolean;
}

export function* findDues(workflowId: number, now: number): Script<Dues> {
  const found = yield* first<Record<keyof Dues, number>>(
    `select
       case when exists (select 1 from action where workflow_id = ?) then 1 else 0 end as actions,
       case when exists (select 1 from route where workflow_id = ? and state = 'due') then 1 else 0 end as questions,
       case when exists (select 1 from job where workflow_id = ? and status = 2 and schedule_by is not null
         and schedule_by <= ?) then 1 else 0 end as unscheduled`,
    workflowId,
    workflowId,
    workflowId,
    now,
  );
  const { actions, questions, unscheduled } = found!;
  return { actions: actions === 1, questions: questions === 1, unscheduled: unscheduled === 1 };
}

/**
 * Whether there may be something to do in any of them: a job to start, code to evaluate, an action. An action is
 * always taken for due, since who watches what is not looked at here.
 */
export function* hasSharedWork(now: number): Script<boolean> {
  const row = yield* first(
    `select 1 as found from workflow where ${SHARED_OPEN} and (
       exists (select 1 from job where job.workflow_id = workflow.id and job.status = 2
         and (job.not_before is null or (job.not_before <= ? and job.recovery_token is null and job.route_token is null)))
       or exists (select 1 from route where route.workflow_id = workflow.id and route.state = 'due')
       or exists (select 1 from action where action.workflow_id = workflow.id)
     ) limit 1`,
    now,
  );
  return row !== undefined;
}

export function* insertRequirement(workflowId: number, requirement: Requirement): Script<number> {
  return yield* insert(
    `insert into requirement (workflow_id, name, cpus, memory_bytes, gpus, nodes, resources)
     values (?, ?, ?, ?, ?, ?, ?)`,
    workflowId,
    requirement.name,
    requirement.cpus,
    requirement.memoryBytes,
    requirement.gpus,
    requirement.nodes,
    JSON.stringify(requirement.resources),
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
}

export function* listRequirements(workflowId: number): Script<StoredRequirement[]> {
  const rows = yield* all<RequirementRow>(
    'select id, name, cpus, memory_bytes, gpus, nodes, resources from requirement where workflow_id = ? order by id',
    workflowId,
  );
  return rows.map(storedRequirement);
}

function storedRequirement(row: RequirementRow): StoredRequirement {
  return {
    id: row.id,
    name: row.name,
    cpus: row.cpus,
    memoryBytes: row.memory_bytes,
    gpus: row.gpus,
    nodes: row.nodes,
    resources: JSON.parse(row.resources) as Record<string, number>,
  };
}

export interface RunRow {
  run_id: number;
  driver_id: number | null;
  started_at: number | null;
  finished_at: number | null;
  attempts_finished: number;
  successes: number;
  success_ms: number;
}

export function* insertRun(workflowId: number, runId: number, now: number): Script<void> {
  yield* run('insert into run (workflow_id, run_id, created_at) values (?, ?, ?)', workflowId, runId, now);
}

export function* findRun(workflowId: number, runId: number): Script<RunRow> {
  const row = yield* first<RunRow>(
    `select run_id, driver_id, started_at, finished_at, attempts_finished, successes, success_ms
     from run where workflow_id = ? and run_id = ?`,
    workflowId,
    runId,
  );
  if (row === undefined) throw new Error(`workflow ${workflowId} has no run ${runId}`);
  return row;
}

/** The worker that drives the run from now on. */
export function* setDriver(workflowId: number, runId: number, workerId: number, now: number): Script<void> {
  yield* run(
    `update run set driver_id = ?, started_at = coalesce(started_at, ?)
     where workflow_id = ? and run_id = ? and finished_at is null`,
    workerId,
    now,
    workflowId,
    runId,
  );
}

/** True only for the call that starts the run. */
export function* startRun(workflowId: number, runId: number, now: number): Script<boolean> {
  const changes = yield* change(
    'update run set started_at = ? where workflow_id = ? and run_id = ? and started_at is null',
    now,
    workflowId,
    runId,
  );
  return changes === 1;
}

/** True only for the call that ends the run. */
export function* finishRun(workflowId: number, runId: number, now: number): Script<boolean> {
  const changes = yield* change(
    'update run set finished_at = ? where workflow_id = ? and run_id = ? and finished_at is null',
    now,
    workflowId,
    runId,
  );
  return changes === 1;
}

/** Totals for progress and estimates, kept so that no screen has to count attempts. */
export interface RunTotals {
  attempts_finished: number;
  successes: number;
  success_ms: number;
}

export function* addToRun(workflowId: number, runId: number, totals: RunTotals): Script<void> {
  yield* run(
    `update run set attempts_finished = attempts_finished + ?, successes = successes + ?, success_ms = success_ms + ?
     where workflow_id = ? and run_id = ?`,
    totals.attempts_finished,
    totals.successes,
    totals.success_ms,
    workflowId,
    runId,
  );
}

/** The run is open again: something in it is to be done once more. */
export function* reopenRun(workflowId: number, runId: number): Script<void> {
  yield* run('update run set finished_at = null where workflow_id = ? and run_id = ?', workflowId, runId);
}

export function* setCurrentRun(workflowId: number, runId: number): Script<void> {
  yield* run('update workflow set run_id = ? where id = ?', runId, workflowId);
}

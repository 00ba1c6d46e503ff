import { assertDagRunTransition, type DagRunState } from '../../../core/dag/dag-run.ts';
import { all, change, changeOne, first, run, type Script } from '../../script.ts';

export interface DagRunRow {
  workflow_id: number;
  /** From 1, of all DAGs of the workflow. */
  number: number;
  run_id: number;
  tag: string;
  directory: string;
  state: DagRunState;
  cluster_id: string | null;
  problem: string | null;
  refusals: number;
  next_try_at: number | null;
  crashes: number;
  submitting_at: number | null;
  removed_at: number | null;
  halted_at: number | null;
  /** Attempts of the workflow with a higher id belong to this DAG. */
  after_attempt: number;
  /** Until when a process looks after it. */
  lease_expires_at: number;
}

type Key = Pick<DagRunRow, 'workflow_id' | 'number'>;

const COLUMNS = `dag_run.workflow_id, dag_run.number, dag_run.run_id, dag_run.tag, dag_run.directory, dag_run.state, dag_run.cluster_id,
  dag_run.problem, dag_run.refusals, dag_run.next_try_at, dag_run.crashes, dag_run.submitting_at, dag_run.removed_at,
  dag_run.halted_at, dag_run.after_attempt, dag_run.lease_expires_at`;

/** Whose runs a process looks after: all of a server, or those of one request or workflow. */
export type DagScope = 'shared' | { request_id: number } | { workflow_id: number };

function scoped(scope: DagScope): { sql: string; values: number[] } {
  if (scope === 'shared') return { sql: 'workflow.shared = 1', values: [] };
  return 'request_id' in scope
    ? { sql: 'workflow.request_id = ?', values: [scope.request_id] }
    : { sql: 'workflow.id = ?', values: [scope.workflow_id] };
}

/** Workflows for DAGMan whose current run is open and not paused, and that DAGMan has nothing of. */
export function* listUnplanned(scope: DagScope): Script<number[]> {
  const { sql, values } = scoped(scope);
  const rows = yield* all<{ id: number }>(
    `select workflow.id from workflow join run on run.workflow_id = workflow.id and run.run_id = workflow.run_id
     where workflow.executor = 'htcondor' and workflow.storing_until is null and workflow.paused_at is null
       and run.finished_at is null and ${sql} and not exists (select 1 from dag_run
         where dag_run.workflow_id = workflow.id and dag_run.state <> 'ended')
     order by workflow.id`,
    ...values,
  );
  return rows.map(({ id }) => id);
}

/** An open run on DAGMan, and whether it is still wanted. */
export interface OpenDagRun extends DagRunRow {
  /** The request of which it runs a round; null: of none. */
  request_id: number | null;
  wanted: number;
  /** What runs is to finish, and nothing else is to start. */
  paused: number;
  /** The process that looks after it, until `lease_expires_at`; null: none ever did. */
  server: string | null;
}

export function* listOpenDagRuns(scope: DagScope): Script<OpenDagRun[]> {
  const { sql, values } = scoped(scope);
  return yield* all<OpenDagRun>(
    `select ${COLUMNS}, workflow.request_id, dag_run.server,
       case when workflow.stopping = 0 and run.finished_at is null then 1 else 0 end as wanted,
       case when workflow.paused_at is null then 0 else 1 end as paused
     from dag_run join workflow on workflow.id = dag_run.workflow_id
     join run on run.workflow_id = dag_run.workflow_id and run.run_id = dag_run.run_id
     where workflow.executor = 'htcondor' and dag_run.state <> 'ended' and ${sql}
     order by dag_run.workflow_id, dag_run.number`,
    ...values,
  );
}

export function* hasOpenDagRun(workflowId: number): Script<boolean> {
  const row = yield* first(
    `select 1 as found from dag_run where workflow_id = ? and state <> 'ended' limit 1`,
    workflowId,
  );
  return row !== undefined;
}

export function* findNewestDagRun(workflowId: number): Script<DagRunRow | undefined> {
  return yield* first<DagRunRow>(
    `select ${COLUMNS} from dag_run where workflow_id = ? order by number desc limit 1`,
    workflowId,
  );
}

export function* findDagRun({ workflow_id, number }: Key): Script<DagRunRow | undefined> {
  return yield* first<DagRunRow>(
    `select ${COLUMNS} from dag_run where workflow_id = ? and number = ?`,
    workflow_id,
    number,
  );
}

export function* insertDagRun(
  row: Key & Pick<DagRunRow, 'run_id' | 'tag' | 'directory'>,
  now: number,
): Script<void> {
  yield* run(
    `insert into dag_run (workflow_id, number, run_id, tag, directory, state, created_at, after_attempt)
     values (?, ?, ?, ?, ?, 'planned', ?, (select coalesce(max(id), 0) from attempt where workflow_id = ?))`,
    row.workflow_id,
    row.number,
    row.run_id,
    row.tag,
    row.directory,
    now,
    row.workflow_id,
  );
}

/** True where the process has the run to itself until then. `dead`: another one that has ended, and has no say any more. */
export function* takeDagRun(
  { workflow_id, number }: Key,
  server: string,
  dead: string | null,
  until: number,
  now: number,
): Script<boolean> {
  const changes = yield* change(
    `update dag_run set server = ?, lease_expires_at = ? where workflow_id = ? and number = ? and state <> 'ended'
       and (server is null or server in (?, ?) or lease_expires_at <= ?)`,
    server,
    until,
    workflow_id,
    number,
    server,
    dead ?? server,
    now,
  );
  return changes === 1;
}

export function* releaseDagRuns(server: string): Script<void> {
  yield* run('update dag_run set lease_expires_at = 0 where server = ? and lease_expires_at > 0', server);
}

/** A named transition: compare-and-set on the state. */
function* move(
  row: DagRunRow,
  to: DagRunState,
  set: string,
  ...values: (string | number | null)[]
): Script<void> {
  assertDagRunTransition(row.state, to);
  yield* changeOne(
    `update dag_run set state = ?${set === '' ? '' : `, ${set}`} where workflow_id = ? and number = ? and state = ?`,
    to,
    ...values,
    row.workflow_id,
    row.number,
    row.state,
  );
}

export function* toSubmitting(row: DagRunRow, now: number): Script<void> {
  yield* move(row, 'submitting', 'next_try_at = null, submitting_at = ?', now);
}

/** Refused: it is tried again later. */
export function* toRefused(row: DagRunRow, problem: string, nextTryAt: number): Script<void> {
  yield* move(row, 'planned', 'problem = ?, refusals = refusals + 1, next_try_at = ?', problem, nextTryAt);
}

/** The queue has never heard of it. */
export function* toUnsent(row: DagRunRow): Script<void> {
  yield* move(row, 'planned', 'problem = null, next_try_at = null');
}

export function* toSubmitted(row: DagRunRow, clusterId: string, now: number): Script<void> {
  yield* move(
    row,
    'submitted',
    'cluster_id = ?, problem = null, refusals = 0, next_try_at = null, halted_at = null, submitted_at = ?',
    clusterId,
    now,
  );
}

/** DAGMan died: what it had done is kept, and it is submitted again. */
export function* toCrashed(row: DagRunRow): Script<void> {
  yield* move(row, 'planned', `crashes = crashes + 1, next_try_at = null, cluster_id = null`);
}

export function* toDagEnded(row: DagRunRow, ending: string, now: number): Script<void> {
  yield* move(row, 'ended', 'ended_at = ?, ending = ?, lease_expires_at = 0', now, ending);
}

/** The files could not be written, or nobody answered: a state from which nothing follows. */
export function* noteDagProblem(row: Key, problem: string | null, nextTryAt: number | null): Script<void> {
  yield* run(
    'update dag_run set problem = ?, next_try_at = ? where workflow_id = ? and number = ?',
    problem,
    nextTryAt,
    row.workflow_id,
    row.number,
  );
}

export function* noteRemoved(row: Key, now: number): Script<void> {
  yield* changeOne(
    'update dag_run set removed_at = ? where workflow_id = ? and number = ?',
    now,
    row.workflow_id,
    row.number,
  );
}

/** null: it starts jobs again. */
export function* noteHalted(row: Key, haltedAt: number | null): Script<void> {
  yield* changeOne(
    'update dag_run set halted_at = ? where workflow_id = ? and number = ?',
    haltedAt,
    row.workflow_id,
    row.number,
  );
}

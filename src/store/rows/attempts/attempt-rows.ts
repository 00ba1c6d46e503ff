import type { RouteTaken, Usage } from '../../../contract/records/records.ts';
import type { Evaluation } from '../../../core/job/evaluation.ts';
import { JOB_STATUS } from '../../../core/job/job-status.ts';
import { isUnexplained, type Outcome } from '../../../core/job/outcome.ts';
import type { PostResult } from '../../../core/job/post-result.ts';
import type { Decision, History } from '../../../core/policy/decision.ts';
import { inParts, valueRows, valueTable } from '../../many-rows.ts';
import { all, changeAll, changeOne, first, type Script, type SqlValue, together } from '../../script.ts';
import { IS_LIVE } from './live-attempt-rows.ts';

export interface AttemptRow {
  /** The attempt's token. */
  id: number;
  workflow_id: number;
  job_id: number;
  job_name: string;
  scope: string;
  run_id: number;
  visit: number;
  caller: string | null;
  attempt_id: number;
  worker_id: number;
  claimed_at: number;
  started_at: number | null;
  finished_at: number | null;
  outcome: string | null;
  cause: string | null;
  match_code: number | null;
  category: string | null;
  verdict: string | null;
  counts_as: string | null;
  rule: string | null;
  handler_outcome: string | null;
  /** Outcome of the recovery script. */
  recovery: string | null;
  route: string | null;
  evaluations: string | null;
  reason: string | null;
  actor: string | null;
  walk: string | null;
  /** What its post step returned. */
  post: string | null;
  usage: string | null;
  output: string | null;
  stdio: string;
}

const COLUMNS = `attempt.id, attempt.workflow_id, attempt.job_id, job.name as job_name, job.scope,
  attempt.run_id, attempt.visit, attempt.caller, attempt.route, attempt.evaluations, attempt.attempt_id, attempt.worker_id, attempt.claimed_at, attempt.started_at, attempt.finished_at, attempt.outcome,
  attempt.cause, attempt.match_code, attempt.category, attempt.verdict, attempt.counts_as, attempt.rule, attempt.handler_outcome,
  (select errand.result from errand where errand.token = attempt.id and errand.kind = 'recovery') as recovery, attempt.reason,
  attempt.actor, attempt.walk, attempt.post, attempt.usage, attempt.output, job.stdio`;

export interface NewAttempt {
  workflow_id: number;
  job_id: number;
  run_id: number;
  visit: number;
  attempt_id: number;
  caller: string | null;
  worker_id: number;
  claimed_at: number;
}

/** Returns the tokens by the jobs' ids; they rise in the order of the list. */
export function* insertAttempts(attempts: readonly NewAttempt[]): Script<Map<number, number>> {
  const parts = yield* together<{ id: number; job_id: number }[][]>(...inParts(attempts).map(insertPart));
  return new Map(parts.flat().map(({ id, job_id }) => [job_id, id]));
}

function* insertPart(attempts: readonly NewAttempt[]): Script<{ id: number; job_id: number }[]> {
  const { sql, values } = valueRows(
    attempts.map(({ workflow_id, job_id, run_id, visit, attempt_id, caller, worker_id, claimed_at }) => [
      ...[workflow_id, job_id, run_id, visit, attempt_id],
      ...[caller, worker_id, claimed_at],
    ]),
  );
  return yield* all<{ id: number; job_id: number }>(
    `insert into attempt (workflow_id, job_id, run_id, visit, attempt_id, caller, worker_id, claimed_at)
     ${sql} returning id, job_id`,
    ...values,
  );
}

export function* insertAttempt(attempt: NewAttempt): Script<number> {
  return (yield* insertAttempts([attempt])).get(attempt.job_id)!;
}

export function* startAttempts(starts: readonly { token: number; started_at_ms: number }[]): Script<void> {
  for (const part of inParts(starts)) {
    const table = valueTable(
      ['bigint', 'bigint'],
      part.map(({ token, started_at_ms }) => [token, started_at_ms]),
    );
    yield* changeAll(
      part.length,
      `update attempt set started_at = begun.column2 from ${table.sql} as begun
       where attempt.id = begun.column1 and attempt.started_at is null and ${IS_LIVE}`,
      ...table.values,
    );
  }
}

/** What is known before post script and code have spoken; from here on the attempt cannot be lost any more. */
export function* observeAttempt(token: number, startedAt: number | null, observed: string): Script<void> {
  yield* changeOne(
    'update attempt set started_at = ?, observed = ? where id = ? and finished_at is null',
    startedAt,
    observed,
    token,
  );
}

export interface AttemptEnd {
  started_at: number | null;
  finished_at: number;
  outcome: Outcome;
  usage: Usage | null;
  output: unknown;
  decision: Decision;
  route: RouteTaken | null;
  evaluations: readonly Evaluation[];
  fingerprint: string | null;
  actor: string | null;
  /** null: it has no post step, or the step did not run. */
  post: PostResult | null;
}

/** What an end writes that is another value for each attempt. */
const OWN_COLUMNS: readonly [column: string, type: string, value: (end: AttemptEnd) => SqlValue][] = [
  ['started_at', 'bigint', ({ started_at }) => started_at],
  ['finished_at', 'bigint', ({ finished_at }) => finished_at],
  ['fingerprint', 'text', ({ fingerprint }) => fingerprint],
  ['usage', 'text', ({ usage }) => jsonOf(usage)],
  ['output', 'text', ({ output }) => (output === undefined ? null : JSON.stringify(output))],
];

/** What it writes that attempts which ended alike have in common. */
const COMMON_COLUMNS: readonly [column: string, value: (end: AttemptEnd) => SqlValue][] = [
  ['outcome', ({ outcome }) => JSON.stringify(outcome)],
  ['cause', ({ decision }) => decision.cause],
  ['match_code', ({ decision }) => decision.matchCode],
  ['category', ({ decision }) => decision.category],
  ['verdict', ({ decision }) => decision.verdict.kind],
  ['counts_as', ({ decision }) => decision.charge],
  ['rule', ({ decision }) => decision.rule],
  ['handler_outcome', ({ decision }) => decision.handlerOutcome],
  ['route', ({ route }) => jsonOf(route)],
  ['reason', ({ decision }) => decision.reason],
  ['actor', ({ actor }) => actor],
  ['walk', ({ decision }) => JSON.stringify(decision.walk)],
  ['evaluations', ({ evaluations }) => (evaluations.length === 0 ? null : JSON.stringify(evaluations))],
  ['post', ({ post }) => jsonOf(post)],
];

const ASSIGNMENTS = [
  ...COMMON_COLUMNS.map(([column]) => `${column} = ?`),
  ...OWN_COLUMNS.map(([column], index) => `${column} = ended.column${index + 2}`),
].join(', ');

function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Closes the attempts for ever. Those that ended alike share statements, in which most values are given once. */
export function* finishAttempts(ends: readonly { token: number; end: AttemptEnd }[]): Script<void> {
  for (const { common, rows } of alike(ends)) {
    for (const part of inParts(rows)) {
      const table = valueTable(['bigint', ...OWN_COLUMNS.map(([, type]) => type)], part);
      yield* changeAll(
        part.length,
        `update attempt set ${ASSIGNMENTS} from ${table.sql} as ended
         where attempt.id = ended.column1 and ${IS_LIVE}`,
        ...common,
        ...table.values,
      );
    }
  }
}

/** The values of each end, by those that it has in common with others. */
function alike(ends: readonly { token: number; end: AttemptEnd }[]) {
  const groups = new Map<string, { common: SqlValue[]; rows: SqlValue[][] }>();
  for (const { token, end } of ends) {
    const common = COMMON_COLUMNS.map(([, value]) => value(end));
    const key = JSON.stringify(common);
    const group = groups.get(key) ?? { common, rows: [] };
    groups.set(key, group);
    group.rows.push([token, ...OWN_COLUMNS.map(([, , value]) => value(end))]);
  }
  return groups.values();
}

export function* finishAttempt(token: number, end: AttemptEnd): Script<void> {
  yield* finishAttempts([{ token, end }]);
}

/**
 * What came before in this visit, which is the current one: its attempts are the last ones of the job. They are found from
 * the end, so that visits before cost nothing.
 */
export function* loadHistory(jobId: number, runId: number, visit: number): Script<Omit<History, 'loops'>> {
  const rows = yield* all<{
    counts_as: string | null;
    started_at: number | null;
    loss: string | null;
    reattempt: number;
  }>(
    `select counts_as, started_at, case when counts_as = 'preemption' then outcome end as loss,
       case when rule = 'routes' and verdict = 'retry' then 1 else 0 end as reattempt
     from attempt where job_id = ? and run_id = ? and visit = ? and finished_at is not null and attempt_id > coalesce((
       select earlier.attempt_id from attempt earlier
       where earlier.job_id = ? and earlier.run_id = ? and earlier.visit < ? order by earlier.attempt_id desc limit 1), 0)
     order by attempt_id`,
    jobId,
    runId,
    visit,
    jobId,
    runId,
    visit,
  );
  let lossesInRow = 0;
  for (const { loss } of rows) {
    lossesInRow = loss !== null && isUnexplained(JSON.parse(loss) as Outcome) ? lossesInRow + 1 : 0;
  }
  return {
    failures: rows.filter((row) => row.counts_as === 'failure').length,
    preemptions: rows.filter((row) => row.counts_as === 'preemption').length,
    lossesInRow,
    firstStartedAt: rows.find((row) => row.started_at !== null)?.started_at ?? null,
    reattempts: rows.filter((row) => row.reattempt === 1).length,
  };
}

/**
 * When the job started first in this visit, and how its last attempt ended, if the policy had it retried for that; null:
 * it is to run again for another reason, such as a lost worker or a user.
 */
export function* findDecidedRetry(
  jobId: number,
  runId: number,
  visit: number,
): Script<{ first_started_at: number; outcome: Outcome } | null> {
  const row = yield* first<{ first_started_at: number | null; outcome: string }>(
    `select outcome, (select min(started_at) from attempt
       where job_id = ? and run_id = ? and visit = ?) as first_started_at
     from attempt where job_id = ? and run_id = ? and visit = ? and verdict = 'retry' and counts_as = 'failure'
       and cause <> 'canceled' and attempt_id = (select attempt_id from job where id = ?)`,
    ...[jobId, runId, visit],
    ...[jobId, runId, visit],
    jobId,
  );
  if (row === undefined || row.first_started_at === null) return null;
  return { first_started_at: row.first_started_at, outcome: JSON.parse(row.outcome) as Outcome };
}

/** Executions of the job in the run that have ended, lost and stopped ones not counted. */
export function* countExecutions(jobId: number, runId: number): Script<number> {
  const row = yield* first<{ count: number }>(
    `select count(*) as count from attempt where job_id = ? and run_id = ? and finished_at is not null
       and started_at is not null and (cause is null or cause not in ('lost', 'stopped'))`,
    jobId,
    runId,
  );
  return row!.count;
}

export function* findAttempt(token: number): Script<AttemptRow> {
  return (yield* first<AttemptRow>(
    `select ${COLUMNS} from attempt join job on job.id = attempt.job_id where attempt.id = ?`,
    token,
  ))!;
}

export function* listAttempts(
  workflowId: number,
  filter: { after: number; limit: number; job_id: number | null; run_id: number | null },
): Script<AttemptRow[]> {
  const conditions = ['attempt.workflow_id = ?', 'attempt.id > ?'];
  const values: SqlValue[] = [workflowId, filter.after];
  for (const column of ['job_id', 'run_id'] as const) {
    const wanted = filter[column];
    if (wanted === null) continue;
    conditions.push(`attempt.${column} = ?`);
    values.push(wanted);
  }
  return yield* all<AttemptRow>(
    `select ${COLUMNS} from attempt join job on job.id = attempt.job_id
     where ${conditions.join(' and ')} order by attempt.id limit ?`,
    ...values,
    filter.limit,
  );
}

/** Of so many unsuccessful attempts those are sought whose jobs have not recovered: a status is read often. */
const SEARCHED_FAILURES = 500;

/** The newest attempts that failed or were lost, one a job, without those of jobs that have completed since. */
export function* listLastFailures(workflowId: number, runId: number, limit: number): Script<AttemptRow[]> {
  return yield* all<AttemptRow>(
    `select ${COLUMNS} from (select id from attempt
       where workflow_id = ? and run_id = ? and counts_as is not null order by id desc limit ?) unsuccessful
     join attempt on attempt.id = unsuccessful.id join job on job.id = attempt.job_id
     where job.status <> ${JOB_STATUS.completed} and not exists (select 1 from attempt newer
       where newer.job_id = attempt.job_id and newer.run_id = attempt.run_id
         and newer.attempt_id > attempt.attempt_id and newer.counts_as is not null)
     order by attempt.id desc limit ?`,
    workflowId,
    runId,
    SEARCHED_FAILURES,
    limit,
  );
}

export interface RunningRow {
  job_id: number;
  name: string;
  scope: string;
  attempt_id: number;
  started_at: number;
}

export function* listRunning(workflowId: number, limit: number): Script<RunningRow[]> {
  return yield* all<RunningRow>(
    `select job.id as job_id, job.name, job.scope, job.attempt_id, attempt.started_at from job
     join attempt on attempt.job_id = job.id and attempt.finished_at is null
     where job.workflow_id = ? and job.status = 4 order by attempt.started_at, job.id limit ?`,
    workflowId,
    limit,
  );
}

export interface WaitingRow {
  job_id: number;
  name: string;
  scope: string;
  attempt_id: number;
  waiting_until: number;
  outcome: string;
  reason: string;
  /** Of the recovery script that must end first; null without one. */
  ordered_at: number | null;
  timeout_ms: number | null;
}

export function* listWaiting(workflowId: number, runId: number, limit: number): Script<WaitingRow[]> {
  return yield* all<WaitingRow>(
    `select job.id as job_id, job.name, job.scope, job.attempt_id + 1 as attempt_id, job.waiting_until, attempt.outcome, attempt.reason,
       errand.ordered_at, errand.timeout_ms from job
     join attempt on attempt.job_id = job.id and attempt.run_id = ? and attempt.attempt_id = job.attempt_id
     left join errand on job.waiting_for = 'recovery' and errand.token = job.waiting_token and errand.kind = 'recovery'
     where job.workflow_id = ? and job.status = 2 and job.waiting_for is not null
     order by job.waiting_until, job.id limit ?`,
    runId,
    workflowId,
    limit,
  );
}

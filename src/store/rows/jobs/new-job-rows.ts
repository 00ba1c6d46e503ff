import { JOB_STATUS } from '../../../core/job/job-status.ts';
import type { StoredJob } from '../../../core/model/workflow-parts.ts';
import { inParts, valueRows } from '../../many-rows.ts';
import { all, lock, type Script, type SqlValue } from '../../script.ts';

/** A job together with the rows that it refers to. */
export interface NewJob {
  job: StoredJob;
  requirement_id: number;
  dependency_set_id: number | null;
  failure_handler_id: number | null;
  /** When its scheduling timeout ends; null: never, or it does not run yet. */
  gives_up_at: number | null;
}

/** So many new jobs at once change what a planner has to know. */
const MANY_JOBS = 1_000;

/** Returns their ids, in the same order. */
export function* insertJobs(workflowId: number, jobs: readonly NewJob[]): Script<number[]> {
  const ids: number[] = [];
  for (const part of inParts(jobs)) {
    const { sql, values } = valueRows(part.map((job) => [workflowId, ...jobValues(job)]));
    const rows = yield* all<{ id: number; name: string; scope: string }>(
      `insert into job (workflow_id, name, scope, status, priority, claim_rank, requirement_id, dependency_set_id,
         failure_handler_id, cancel_on_failure, scheduling_timeout, waiting_until, settled, on_call, blueprint,
         continue_on_failure, fail_fast, stdio, scheduler, config)
       ${sql} returning id, name, scope`,
      ...values,
    );
    for (const id of inOrder(part, rows)) ids.push(id);
  }
  return ids;
}

/** Databases return rows in any order, and nearly always in that of the insert. */
function inOrder(
  jobs: readonly NewJob[],
  rows: readonly { id: number; name: string; scope: string }[],
): number[] {
  const isSame = jobs.every(({ job }, at) => rows[at]!.name === job.name && rows[at]!.scope === job.scope);
  if (isSame) return rows.map(({ id }) => id);
  const ids = new Map(rows.map((row) => [keyOf(row), row.id]));
  return jobs.map(({ job }) => ids.get(keyOf(job))!);
}

/** PostgreSQL counts within a minute by itself; until then it would sort all ready jobs for each claim. */
export function* countNewJobs(count: number): Script<void> {
  if (count >= MANY_JOBS) yield* lock('analyze job');
}

function keyOf({ name, scope }: { name: string; scope: string }): string {
  return JSON.stringify([name, scope]);
}

function jobValues({ job, ...links }: NewJob): SqlValue[] {
  return [
    job.name,
    job.scope,
    JOB_STATUS[job.status],
    job.priority,
    job.claim_rank,
    links.requirement_id,
    links.dependency_set_id,
    links.failure_handler_id,
    job.cancel_on_failure ? 1 : 0,
    job.scheduling_timeout_ms,
    links.gives_up_at,
    job.on_call ? 'disabled' : null,
    job.on_call ? 1 : 0,
    job.blueprint ? 1 : 0,
    job.continue_on_failure ? 1 : 0,
    job.fail_fast,
    job.stdio,
    job.scheduler,
    job.config,
  ];
}

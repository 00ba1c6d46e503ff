import { JOB_STATUS, type JobStatus } from '../core/job-status.ts';
import type { JobModel } from '../core/workflow-model.ts';
import type { Settled } from './dependency-rows.ts';
import { encodeConfig } from './job-rows.ts';
import { inParts, valueRows } from './many-rows.ts';
import { all, lock, type Script, type SqlValue } from './script.ts';

/** A job of a model, together with the rows it refers to and how it begins. */
export interface NewJob {
  job: JobModel;
  requirement_id: number;
  dependency_set_id: number | null;
  failure_handler_id: number | null;
  status: JobStatus;
  settled: Settled | null;
  blueprint: number;
  schedule_by: number | null;
}

/** So many new jobs at once change what a planner has to know. */
const MANY_JOBS = 1_000;

/** Returns their ids, in the same order. */
export function* insertJobs(workflowId: number, jobs: readonly NewJob[]): Script<number[]> {
  const ids = new Map<string, number>();
  for (const part of inParts(jobs)) {
    const { sql, values } = valueRows(part.map((job) => [workflowId, ...jobValues(job)]));
    const rows = yield* all<{ id: number; name: string; scope: string }>(
      `insert into job (workflow_id, name, scope, status, priority, requirement_id, dependency_set_id,
         failure_handler_id, cancel_on_failure, scheduling_timeout, schedule_by, settled, on_call, blueprint,
         continue_on_failure, config)
       ${sql} returning id, name, scope`,
      ...values,
    );
    for (const { id, ...place } of rows) ids.set(keyOf(place), id);
  }
  // PostgreSQL counts within a minute by itself; until then it would sort all ready jobs for each claim.
  if (jobs.length >= MANY_JOBS) yield* lock('analyze job');
  return jobs.map(({ job }) => ids.get(keyOf(job))!);
}

function keyOf({ name, scope }: { name: string; scope: string }): string {
  return JSON.stringify([name, scope]);
}

function jobValues({ job, ...links }: NewJob): SqlValue[] {
  return [
    job.name,
    job.scope,
    JOB_STATUS[links.status],
    job.priority,
    links.requirement_id,
    links.dependency_set_id,
    links.failure_handler_id,
    job.cancelOnBlockingJobFailure ? 1 : 0,
    job.config.schedulingTimeoutMs,
    links.schedule_by,
    links.settled,
    job.config.onCall ? 1 : 0,
    links.blueprint,
    job.config.continueOnFailure ? 1 : 0,
    encodeConfig(job.config),
  ];
}

import { JOB_STATUS, JOB_STATUSES, type JobStatus } from '../../../core/job/job-status.ts';
import { all, placeholders, type Script } from '../../script.ts';

/** In no name; it stands between stars for a moment, so that a run of them becomes one. */
const BETWEEN = '\u0001';

/** The label of a job, as `jobLabel` makes it. */
export function labelOf(table: string): string {
  return `case when ${table}.scope = '' then ${table}.name else ${table}.name || '@' || ${table}.scope end`;
}

/**
 * The label of a job with `*` for its numbers, as `namePattern` makes it. Neither a column, which every change of a job
 * would pay for, nor a regular expression, which SQLite has none of: 100,000 names take 0.2 s.
 */
export function groupLabelOf(table: string): string {
  let label = labelOf(table);
  for (let digit = 0; digit <= 9; digit += 1) label = `replace(${label}, '${digit}', '*')`;
  label = `replace(replace(replace(${label}, '*', '*${BETWEEN}'), '${BETWEEN}*', ''), '${BETWEEN}', '')`;
  return `replace(${label}, '*.*', '*')`;
}

export interface GroupRow extends Record<JobStatus, number> {
  label: string;
  on_call: number;
  jobs: number;
  first_job_id: number;
}

const COUNTS = JOB_STATUSES.map(
  (status) => `sum(case when status = ${JOB_STATUS[status]} then 1 else 0 end) as ${status}`,
).join(', ');

/** Groups of the jobs of a workflow, in the order of their first jobs. */
export function* listGroups(workflowId: number, limit: number): Script<GroupRow[]> {
  return yield* all<GroupRow>(
    `select ${groupLabelOf('job')} as label, on_call, count(*) as jobs, min(id) as first_job_id, ${COUNTS}
     from job where workflow_id = ? and blueprint < 2 group by 1, 2 order by 4 limit ?`,
    workflowId,
    limit,
  );
}

export interface GroupEdgeRow {
  from_label: string;
  from_on_call: number;
  to_label: string;
  to_on_call: number;
}

/**
 * Which of these groups wait for which others. A set of dependencies is looked up once for each group that uses it, not
 * for each job: a barrier of 50,000 × 50,000 is 50,000 lookups.
 */
export function* listGroupEdges(
  workflowId: number,
  labels: readonly string[],
  limit: number,
): Script<GroupEdgeRow[]> {
  return yield* all<GroupEdgeRow>(
    `select distinct ${groupLabelOf('needed')} as from_label, needed.on_call as from_on_call,
       waiting.label as to_label, waiting.on_call as to_on_call
     from (select distinct dependency_set_id, ${groupLabelOf('job')} as label, on_call from job
       where workflow_id = ? and blueprint < 2 and dependency_set_id is not null) waiting
     join dependency_member on dependency_member.set_id = waiting.dependency_set_id
     join job needed on needed.id = dependency_member.job_id
     where needed.blueprint < 2 and waiting.label in ${placeholders(labels.length)} limit ?`,
    workflowId,
    ...labels,
    limit,
  );
}

/** How long the last successes of a run took, by group. */
export function* listGroupTimes(
  workflowId: number,
  runId: number,
  attempts: number,
): Script<{ label: string; on_call: number; total_ms: number; successes: number }[]> {
  return yield* all(
    `select ${groupLabelOf('job')} as label, job.on_call, cast(sum(recent.took) as bigint) as total_ms,
       count(*) as successes
     from (select job_id, finished_at - started_at as took from attempt
       where workflow_id = ? and run_id = ? and started_at is not null and finished_at is not null
         and cause is null and verdict <> 'disable'
       order by id desc limit ?) recent
     join job on job.id = recent.job_id group by 1, 2`,
    workflowId,
    runId,
    attempts,
  );
}

/** Completed jobs that had failed or were lost in a run, by group. */
export function* listGroupRecoveries(
  workflowId: number,
  runId: number,
): Script<{ label: string; on_call: number; recovered: number }[]> {
  return yield* all(
    `select ${groupLabelOf('job')} as label, job.on_call, count(*) as recovered
     from (select distinct job_id from attempt
       where workflow_id = ? and run_id = ? and counts_as is not null) unsuccessful
     join job on job.id = unsuccessful.job_id where job.status = ${JOB_STATUS.completed} group by 1, 2`,
    workflowId,
    runId,
  );
}

/** CPUs of jobs that are starting or running, by group. */
export function* listGroupCpus(
  workflowId: number,
): Script<{ label: string; on_call: number; cpus: number }[]> {
  return yield* all(
    `select ${groupLabelOf('job')} as label, job.on_call, sum(coalesce(requirement.cpus, 1)) as cpus
     from job join requirement on requirement.id = job.requirement_id
     where job.workflow_id = ? and job.status in (${JOB_STATUS.pending}, ${JOB_STATUS.running}) group by 1, 2`,
    workflowId,
  );
}

export function* listConfigsOf(
  jobIds: readonly number[],
): Script<{ id: number; scope: string; config: string }[]> {
  return yield* all(
    `select id, scope, config from job where id in ${placeholders(jobIds.length)}`,
    ...jobIds,
  );
}

import type { Reader } from '../../../contract/by.ts';
import type { Avoidance } from '../../../core/placement/eligibility.ts';
import type { ResourceNeed } from '../../../core/placement/resources.ts';
import type { ResourceName } from '../../../core/placement/shortage.ts';
import { idLists } from '../../many-rows.ts';
import { all, first, placeholders, type Script } from '../../script.ts';
import { inReadable, readable } from '../access/readable.ts';
import { decodeAvoidance, type StateColumns } from '../jobs/state-columns.ts';

const NEED = 'requirement.cpus, requirement.memory_bytes, requirement.gpus, requirement.nodes';

/** What the live attempts of the workers take, by worker and equal needs. */
export function* listHoldings(
  workerIds: readonly number[],
): Script<(ResourceNeed & { worker_id: number; jobs: number })[]> {
  const holdings: (ResourceNeed & { worker_id: number; jobs: number })[] = [];
  for (const ids of idLists(workerIds)) {
    const rows = yield* all<ResourceNeed & { worker_id: number; jobs: number }>(
      `select attempt.worker_id, count(*) as jobs, ${NEED} from attempt join job on job.id = attempt.job_id
         join requirement on requirement.id = job.requirement_id
       where attempt.worker_id in ${placeholders(ids.length)} and attempt.finished_at is null
       group by attempt.worker_id, ${NEED}`,
      ...ids,
    );
    holdings.push(...rows);
  }
  return holdings;
}

/** A job that holds something, and how many jobs do. */
export type HolderRow = ResourceNeed & {
  workflow_id: number;
  job_id: number;
  name: string;
  scope: string;
  requirement_id: number;
  holders: number;
};

const HOLDER = `job.workflow_id, job.id as job_id, job.name, job.scope, job.requirement_id, ${NEED}, count(*) over () as holders`;

/** Jobs that take of the resource for certain. */
const TAKES: Record<ResourceName, string> = {
  slots: '',
  cpus: '',
  memory_bytes: ' and requirement.memory_bytes > 0',
  gpus: ' and requirement.gpus > 0',
  nodes: ' and requirement.nodes > 1',
};

/** Jobs with live attempts of the worker that hold some of the resource, oldest first. All are counted in `holders`. */
export function* listHoldersOn(
  workerId: number,
  resource: ResourceName,
  limit: number,
  reader?: Reader,
): Script<HolderRow[]> {
  const { sql, values } = inReadable('holder.workflow_id', reader);
  return yield* all<HolderRow>(
    `select * from (
       select ${HOLDER}, attempt.id as token from attempt join job on job.id = attempt.job_id
         join requirement on requirement.id = job.requirement_id
       where attempt.worker_id = ? and attempt.finished_at is null${TAKES[resource]}
     ) holder where 1 = 1${sql} order by holder.token limit ?`,
    workerId,
    ...values,
    limit,
  );
}

export interface HeldJobRow {
  token: number;
  workflow_id: number;
  workflow_name: string;
  job_id: number;
  name: string;
  scope: string;
  run_id: number;
  attempt_id: number;
  claimed_at: number;
  started_at: number | null;
}

/** Jobs with live attempts of the worker, oldest first, above the attempt `after`. */
export function* listHeldJobs(
  workerId: number,
  after: number,
  limit: number,
  reader?: Reader,
): Script<HeldJobRow[]> {
  const { sql, values } = readable('workflow', reader);
  return yield* all<HeldJobRow>(
    `select attempt.id as token, attempt.workflow_id, workflow.name as workflow_name, attempt.job_id, job.name, job.scope,
       attempt.run_id, attempt.attempt_id, attempt.claimed_at, attempt.started_at
     from attempt join job on job.id = attempt.job_id join workflow on workflow.id = attempt.workflow_id
     where attempt.worker_id = ? and attempt.finished_at is null and attempt.id > ?${sql} order by attempt.id limit ?`,
    workerId,
    after,
    ...values,
    limit,
  );
}

/** Pending and running jobs of the workflow with one of the requirements. */
export function* listHoldersIn(
  workflowId: number,
  requirementIds: readonly number[],
  limit: number,
): Script<HolderRow[]> {
  if (requirementIds.length === 0) return [];
  return yield* all<HolderRow>(
    `select ${HOLDER} from job join requirement on requirement.id = job.requirement_id
     where job.workflow_id = ? and job.status in (3, 4)
       and job.requirement_id in ${placeholders(requirementIds.length)} order by job.id limit ?`,
    workflowId,
    ...requirementIds,
    limit,
  );
}

/** Where the job failed last, if it waits for another place. */
export function* findAvoidance(jobId: number): Script<Avoidance | null> {
  const row = yield* first<Pick<StateColumns, 'avoid_worker_id' | 'avoid_site' | 'avoid_until'>>(
    'select avoid_worker_id, avoid_site, avoid_until from job where id = ?',
    jobId,
  );
  return row === undefined ? null : decodeAvoidance(row);
}

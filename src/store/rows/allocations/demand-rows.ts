import { all, type Script } from '../../script.ts';
import { NOT_HELD } from '../jobs/state-columns.ts';

/** Open jobs of one requirement that name the same scheduler. */
export interface DemandRow {
  requirement_id: number;
  scheduler: string | null;
  ready: number;
  later: number;
  live: number;
}

/** Ready for a worker, or for a retry that is due. */
const READY = `job.status = 2 and ${NOT_HELD} and (job.waiting_for is null or (job.waiting_for = 'retry' and job.waiting_until <= ?))`;

const count = (condition: string) => `coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;

/** Jobs that wait for a decision are not counted: nobody knows when it comes. */
export function* countDemand(workflowId: number, now: number): Script<DemandRow[]> {
  const rows = yield* all<DemandRow>(
    `select requirement_id, scheduler, ${count(READY)} as ready, ${count('job.status in (3, 4)')} as live,
       count(*) as later
     from job where workflow_id = ? and status in (0, 1, 2, 3, 4) and ${NOT_HELD} group by requirement_id, scheduler
     order by max(priority) desc, requirement_id, scheduler`,
    now,
    workflowId,
  );
  return rows.map((row) => {
    const [ready, live] = [Number(row.ready), Number(row.live)];
    return { ...row, ready, live, later: Number(row.later) - ready - live };
  });
}

export interface WatchedDemandRow {
  action_id: number;
  requirement_id: number;
  scheduler: string | null;
  ready: number;
}

/** Ready jobs that actions which order allocations watch. */
export function* countWatchedDemand(workflowId: number, now: number): Script<WatchedDemandRow[]> {
  return yield* all<WatchedDemandRow>(
    `select action.id as action_id, job.requirement_id, job.scheduler, count(*) as ready
     from action join action_job on action_job.action_id = action.id join job on job.id = action_job.job_id
     where action.workflow_id = ? and action.schedule is not null and ${READY}
     group by action.id, job.requirement_id, job.scheduler`,
    workflowId,
    now,
  );
}

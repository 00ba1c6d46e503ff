import type { JobSort } from '../../../contract/engine.ts';
import { JOB_STATUS, type JobStatus } from '../../../core/job/job-status.ts';
import { isPattern } from '../../../core/selection/glob.ts';
import { all, placeholders, type Script, type SqlValue, searched } from '../../script.ts';
import { groupLabelOf, labelOf } from './group-rows.ts';
import type { JobRow } from './job-rows.ts';
import { STATE_COLUMNS, type StateColumns } from './state-columns.ts';

/** What lists of jobs show. */
export interface ListedJob
  extends Pick<
    JobRow,
    | 'id'
    | 'workflow_id'
    | 'name'
    | 'scope'
    | keyof StateColumns
    | 'priority'
    | 'visit'
    | 'attempt_id'
    | 'reason'
    | 'config'
  > {
  failure_count: number;
  preemption_count: number;
}

const COLUMNS = `job.id, job.workflow_id, job.name, job.scope, ${STATE_COLUMNS}, job.priority, job.visit,
  job.attempt_id, job.reason, job.config`;

/** Most jobs complete at their first attempt: that one counts as neither, and nor does one that has not ended. */
const HAS_NO_COUNTS = 'job.attempt_id = 0 or (job.attempt_id = 1 and job.status in (3, 4, 5))';

const COUNTS = (['failure', 'preemption'] as const)
  .map(
    (
      kind,
    ) => `case when ${HAS_NO_COUNTS} then 0 else (select count(*) from attempt where attempt.job_id = job.id
      and attempt.run_id = workflow.run_id and attempt.visit = job.visit and attempt.counts_as = '${kind}') end
      as ${kind}_count`,
  )
  .join(', ');

export function* listJobs(
  workflowId: number,
  filter: {
    after: number;
    limit: number;
    statuses: JobStatus[] | null;
    /** A part of the name or, with `*` or `?`, a pattern for the label; in upper and lower case. */
    name: string | null;
    group?: string | null;
    id: number | null;
    sort?: JobSort;
  },
): Script<ListedJob[]> {
  const order = JOB_ORDERS[filter.sort ?? 'id'];
  // One that an update removed is in no list, and can be asked for.
  const conditions = ['job.workflow_id = ?', filter.id === null ? 'job.blueprint < 2' : 'job.blueprint <> 2'];
  const values: SqlValue[] = [workflowId];
  if (filter.after > 0) {
    conditions.push(order.after);
    values.push(filter.after);
  }
  if (filter.statuses !== null) {
    conditions.push(`job.status in ${placeholders(filter.statuses.length)}`);
    values.push(...filter.statuses.map((status) => JOB_STATUS[status]));
  }
  if (filter.name !== null) {
    const column = isPattern(filter.name) ? labelOf('job') : 'job.name';
    conditions.push(`lower(${column}) like ? escape '\\'`);
    values.push(searched(filter.name));
  }
  if (filter.group !== undefined && filter.group !== null) {
    conditions.push(`${groupLabelOf('job')} = ?`);
    values.push(filter.group);
  }
  if (filter.id !== null) {
    conditions.push('job.id = ?');
    values.push(filter.id);
  }
  return yield* all<ListedJob>(
    `select ${COLUMNS}, ${COUNTS} from job join workflow on workflow.id = job.workflow_id
     where ${conditions.join(' and ')} order by ${order.by} limit ?`,
    ...values,
    filter.limit,
  );
}

/** Only these texts become SQL, whatever was asked for. The last job of the page before says where to continue. */
const JOB_ORDERS: Record<JobSort, { by: string; after: string }> = {
  id: { by: 'job.id', after: 'job.id > ?' },
  '-id': { by: 'job.id desc', after: 'job.id < ?' },
  name: {
    by: 'job.name, job.scope',
    after: '(job.name, job.scope) > (select last.name, last.scope from job last where last.id = ?)',
  },
  '-name': {
    by: 'job.name desc, job.scope desc',
    after: '(job.name, job.scope) < (select last.name, last.scope from job last where last.id = ?)',
  },
};

export type ConfigRow = Pick<JobRow, 'id' | 'name' | 'scope' | 'config'>;

export function* listConfigs(workflowId: number, after: number, limit: number): Script<ConfigRow[]> {
  return yield* all<ConfigRow>(
    `select id, name, scope, config from job where workflow_id = ? and id > ? and blueprint < 2
       order by id limit ?`,
    workflowId,
    after,
    limit,
  );
}

import type { Settled } from '../../../core/flow/flow-part.ts';
import { JOB_STATUS, type JobStatus } from '../../../core/job/job-status.ts';
import { idLists } from '../../many-rows.ts';
import { all, placeholders, type Script } from '../../script.ts';
import type { JobRow } from './job-rows.ts';
import { STATE_COLUMNS, type StateColumns } from './state-columns.ts';

/** What a selection looks at, and what has to be known of a job that is selected. */
export type SelectableRow = Pick<
  JobRow,
  | 'id'
  | 'name'
  | 'scope'
  | keyof StateColumns
  | 'attempt_id'
  | 'dependency_set_id'
  | 'cancel_on_failure'
  | 'fail_fast'
>;

const COLUMNS = `job.id, job.name, job.scope, ${STATE_COLUMNS}, job.attempt_id, job.dependency_set_id,
  job.cancel_on_failure, job.fail_fast`;

/** All jobs, or those in some statuses, in the order of their ids. */
export function* listSelectable(
  workflowId: number,
  statuses: readonly JobStatus[] | null,
): Script<SelectableRow[]> {
  const some = statuses === null ? '' : ` and job.status in ${placeholders(statuses.length)}`;
  return yield* all<SelectableRow>(
    `select ${COLUMNS} from job where workflow_id = ? and blueprint < 2${some} order by id`,
    workflowId,
    ...(statuses ?? []).map((status) => JOB_STATUS[status]),
  );
}

/** Jobs with one of the ids or names, those of items included. */
export function* listSelectableOf(
  workflowId: number,
  ids: readonly number[],
  names: readonly string[],
): Script<SelectableRow[]> {
  const found = new Map<number, SelectableRow>();
  for (const [column, wanted] of [
    ['id', ids],
    ['name', names],
  ] as const) {
    for (const list of idLists<number | string>(wanted)) {
      const rows = yield* all<SelectableRow>(
        `select ${COLUMNS} from job where workflow_id = ? and blueprint < 2
         and job.${column} in ${placeholders(list.length)}`,
        workflowId,
        ...list,
      );
      for (const row of rows) found.set(row.id, row);
    }
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

/** Names of jobs, each once. */
export function* listNames(workflowId: number): Script<string[]> {
  const rows = yield* all<{ name: string }>(
    'select name from job where workflow_id = ? and blueprint < 2 group by name order by min(id)',
    workflowId,
  );
  return rows.map(({ name }) => name);
}

/** Who is a member of which set, in the whole workflow. */
export function* listAllMembers(workflowId: number): Script<{ set_id: number; job_id: number }[]> {
  return yield* all<{ set_id: number; job_id: number }>(
    `select dependency_member.set_id, dependency_member.job_id from dependency_set
     join dependency_member on dependency_member.set_id = dependency_set.id
     where dependency_set.workflow_id = ?`,
    workflowId,
  );
}

/** A member of a set, with how it ended. */
export interface SpoiltMember {
  set_id: number;
  job_id: number;
  kind: number;
  name: string;
  scope: string;
  status: number;
  settled: Settled | null;
}

/** All members of those of the sets that have a member which failed or is disabled. */
export function* listSpoiltSets(setIds: readonly number[]): Script<SpoiltMember[]> {
  const members: SpoiltMember[] = [];
  for (const list of idLists(setIds)) {
    const rows = yield* all<SpoiltMember>(
      `select dependency_member.set_id, dependency_member.job_id, dependency_member.kind, job.name, job.scope,
         job.status, job.settled
       from dependency_set join dependency_member on dependency_member.set_id = dependency_set.id
       join job on job.id = dependency_member.job_id
       where dependency_set.id in ${placeholders(list.length)} and unsuccessful + disabled > 0
       order by dependency_member.job_id`,
      ...list,
    );
    members.push(...rows);
  }
  return members;
}

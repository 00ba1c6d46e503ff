import type { Subject } from '../../../contract/subject.ts';
import { all, type Script } from '../../script.ts';

export interface OwnershipRow {
  owned_by: string;
  access_groups: string;
}

/** The number of its workflow, or of all workflows of which a worker holds jobs. */
const WORKFLOWS: Record<Exclude<Subject['kind'], 'request'>, string> = {
  workflow: '?',
  job: 'select workflow_id from job where id = ?',
  handler: 'select workflow_id from failure_handler where id = ?',
  allocation: 'select workflow_id from allocation where id = ?',
  worker: 'select workflow_id from attempt where worker_id = ? and finished_at is null',
};

export function* listOwnerships(
  kind: Exclude<Subject['kind'], 'request'>,
  id: number,
): Script<OwnershipRow[]> {
  return yield* all<OwnershipRow>(
    `select owned_by, access_groups from workflow where id in (${WORKFLOWS[kind]})`,
    id,
  );
}

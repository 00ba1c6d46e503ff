import { HoldfastError } from '../errors.ts';
import type { ComparedWorkflows } from './compare-workflows.ts';
import type { StoredRow } from './edited-workflow.ts';
import {
  addedJobs,
  completePlan,
  isChanged,
  isReplaced,
  type PlannedJobs,
  plannedRow,
  removedRow,
  revivedWrites,
  writeOf,
} from './planned-jobs.ts';
import type { RowWrite, UpdatedRow } from './update-plan.ts';

/**
 * The run is active: jobs that have not started become what the edited spec says, and new ones are added. One that has
 * started keeps its definition, unless only policy changed, and is reported; so does one that was canceled before.
 */
export function planActive(compared: ComparedWorkflows): PlannedJobs {
  const { edited, matched, rows, renewed } = compared;
  for (const list of renewed) throw itemsInUse(list);
  const jobs: UpdatedRow[] = [];
  const writes: RowWrite[] = [];
  const resets: number[] = [];
  for (const each of rows) {
    const { row, reason, difference, waits } = each;
    const mayChange = row.is_fresh || reason === null || isReplaced(each);
    if (mayChange && (difference.is_written || waits)) {
      writes.push(writeOf(each, edited.jobs[each.edited]!.dependency_set));
    }
    if (isReplaced(each) || !isChanged(each)) continue;
    // One that is ready although a job before it failed may have to be canceled now.
    const mayWait = reason !== null || difference.fields.includes('cancel_on_blocking_job_failure');
    if (mayWait && row.is_fresh && !each.rests_on_call) resets.push(row.id);
    jobs.push(plannedRow(each, reason === null ? 'policy' : row.is_fresh ? 'change' : keptAs(row)));
  }
  const added = addedJobs(compared);
  jobs.push(...added);
  writes.push(...revivedWrites(compared, added));
  const removes: number[] = [];
  for (const row of matched.orphans) {
    if (row.is_fresh) removes.push(row.id);
    if (row.blueprint !== 2) jobs.push(removedRow(row, row.is_fresh ? 'remove' : keptAs(row)));
  }
  const isAny = writes.length > 0 || jobs.some(({ action }) => action !== 'started' && action !== 'canceled');
  const mode = isAny ? 'same_run' : 'nothing';
  return completePlan(compared, rows, added, { mode, jobs, writes, resets, removes, renews: [] });
}

/** Why a job keeps its definition while the run is active. */
function keptAs({ status, has_run }: StoredRow): 'started' | 'canceled' {
  return status === 'canceled' && !has_run ? 'canceled' : 'started';
}

function itemsInUse(list: string): HoldfastError {
  return new HoldfastError('UPDATE_REFUSED', {
    problem: `the steps below ${list} are others now, or wait for others, and the run is active`,
    way_out: 'update it again when the run has ended, or `stop` it first',
  });
}

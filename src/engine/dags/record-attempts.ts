import type { RunAttempt } from '../../contract/run-engine.ts';
import type { ErrorSettings } from '../../core/request/error-settings.ts';
import { isRunEnd } from '../../core/run/run-transitions.ts';
import { listDagJobStates } from '../../store/rows/dags/dag-job-rows.ts';
import type { DagRunRow } from '../../store/rows/dags/dag-run-rows.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import { findRun } from '../../store/rows/workflows/run-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import { settingsOf } from '../rounds/request-settings.ts';
import { DagJobs } from './dag-jobs.ts';
import { importAttempt } from './import-attempts.ts';

/** So many attempts are recorded in one transaction, which takes some milliseconds. */
const AT_ONCE = 50;

const isAbort = ({ record }: RunAttempt) => record.classification.action === 'abort';

/**
 * Records attempts of a DAG that is under way, as far as they follow on what is recorded. An abort is left to the end of
 * the DAG: it cancels everything else, and others may still leave a record.
 */
export async function recordNewAttempts(
  store: Store,
  row: DagRunRow,
  attempts: readonly RunAttempt[],
): Promise<void> {
  const usable = attempts.filter((each) => !isAbort(each));
  for (let from = 0; from < usable.length; from += AT_ONCE) {
    const part = usable.slice(from, from + AT_ONCE);
    await store.write(function* (now) {
      const workflow = yield* takeOpen(row);
      if (workflow === null) return;
      const jobs = yield* jobsOf(workflow, row);
      const settings = yield* settingsFor(workflow);
      for (const attempt of part) {
        const job = jobs.of(attempt);
        if (job === undefined || attempt.record.attempt !== job.attempts + 1) continue;
        if (yield* importAttempt(workflow, job.id, attempt.record, settings, now)) job.attempts += 1;
      }
    });
  }
}

/**
 * Records those of all attempts of an ended DAG that are not recorded yet: of each job, the first ones are. Returns them in
 * the order in which they were recorded.
 */
export async function recordAllAttempts(
  store: Store,
  row: DagRunRow,
  attempts: readonly RunAttempt[],
): Promise<RunAttempt[]> {
  const records = attempts.toSorted((a, b) => Number(isAbort(a)) - Number(isAbort(b)));
  for (let from = 0; from < records.length; from += AT_ONCE) {
    const part = records.slice(0, from + AT_ONCE);
    await store.write((now) => importPart(row, part, from, now));
  }
  return records;
}

function* importPart(
  row: DagRunRow,
  records: readonly RunAttempt[],
  from: number,
  now: number,
): Script<void> {
  const workflow = yield* takeOpen(row);
  if (workflow === null) return;
  const jobs = yield* jobsOf(workflow, row);
  const settings = yield* settingsFor(workflow);
  const seen = new Map<number, number>();
  for (const [index, attempt] of records.entries()) {
    const job = jobs.of(attempt);
    if (job === undefined) continue;
    const number = seen.get(job.id) ?? 0;
    seen.set(job.id, number + 1);
    if (index < from || number !== job.attempts) continue;
    if (yield* importAttempt(workflow, job.id, attempt.record, settings, now)) job.attempts += 1;
  }
}

/** null: nothing of the run is to be recorded any more. */
export function* takeOpen(row: DagRunRow): Script<WorkflowRow | null> {
  const workflow = yield* takeWorkflow(row.workflow_id);
  const { state } = yield* findRun(row.workflow_id, row.run_id);
  return workflow.run_id !== row.run_id || isRunEnd(state) ? null : workflow;
}

export function* jobsOf({ id, request_id }: WorkflowRow, row: DagRunRow): Script<DagJobs> {
  return new DagJobs(yield* listDagJobStates(id, row.after_attempt), request_id !== null);
}

/** null: it is no round. */
export function* settingsFor({ request_id }: WorkflowRow): Script<ErrorSettings | null> {
  return request_id === null ? null : settingsOf(yield* getRequestRow(request_id));
}

import type { RunAttempt, RunView } from '../../contract/run-engine.ts';
import { recordWithoutEvidence } from '../../core/dag/recorded-attempt.ts';
import { JOB_STATUS } from '../../core/job/job-status.ts';
import type { DagJobState } from '../../store/rows/dags/dag-job-rows.ts';
import { type DagRunRow, findDagRun, toDagEnded } from '../../store/rows/dags/dag-run-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { cancelOpenJobs } from '../flow/cancel-jobs.ts';
import { endRunIfComplete } from '../runs/end-run.ts';
import type { DagJobs } from './dag-jobs.ts';
import { importAttempt } from './import-attempts.ts';
import { jobsOf, recordAllAttempts, settingsFor, takeOpen } from './record-attempts.ts';
import { recordDagEvent } from './submit-dag-run.ts';

/**
 * Reads a run back that DAGMan has ended: its records become attempts, in short transactions, and the last one settles
 * what they leave open, ends the run, and so has its round decided. May be called again after a crash at any point.
 */
export async function settleDagRun(store: Store, row: DagRunRow, view: RunView): Promise<void> {
  const records = await recordAllAttempts(store, row, view.attempts);
  await store.write((now) => finish(row, view, records, now));
}

function* finish(row: DagRunRow, view: RunView, records: readonly RunAttempt[], now: number): Script<void> {
  const workflow = yield* takeOpen(row);
  const how = view.ended?.how ?? 'error';
  const current = yield* findDagRun(row);
  if (current?.state !== row.state) return;
  yield* toDagEnded(current, how, now);
  yield* recordDagEvent(
    row,
    'dag_ended',
    { run_id: row.run_id, how, exit_code: view.ended?.exitCode ?? null },
    now,
  );
  if (workflow === null) return;
  yield* settleUnits(workflow, yield* jobsOf(workflow, row), view, records, now);
  // After a stop or a pause the rest belongs to the next DAG; otherwise DAGMan has not run it in this run.
  if (workflow.paused_at === null) {
    yield* cancelOpenJobs(workflow, null, { actor: null, reason: `not run: DAGMan ended (${how})` }, now);
  }
  yield* endRunIfComplete(workflow, now);
}

/**
 * What DAGMan says of units, and no record does: of one that is done, open jobs have succeeded; of one that failed, the
 * first job that could run has failed. Jobs wait for jobs of other units, so that all are tried until none can follow.
 */
function* settleUnits(
  workflow: WorkflowRow,
  jobs: DagJobs,
  { units }: RunView,
  records: readonly RunAttempt[],
  now: number,
): Script<void> {
  const known = recordsByJob(jobs, records);
  const settings = yield* settingsFor(workflow);
  const unsettled = units
    .filter(({ state, noEvidence }) => state === 'done' || (state === 'failed' && noEvidence))
    .map(({ name, state }) => ({
      succeeded: state === 'done',
      open: jobs.ofUnit(name).filter(({ status }) => OPEN.includes(status)),
    }));
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const unit of unsettled) {
      for (const job of unit.open) {
        const nothing = { node_name: jobs.nodeOf(job), run: workflow.run_id, attempt: job.attempts + 1 };
        const record =
          known.get(job.id)?.[job.attempts]?.record ?? recordWithoutEvidence(nothing, unit.succeeded, now);
        if (!(yield* importAttempt(workflow, job.id, record, settings, now))) continue;
        isMoving = true;
        job.attempts += 1;
        unit.open = unit.succeeded ? unit.open.filter((each) => each !== job) : [];
        if (!unit.succeeded) break;
      }
    }
  }
}

const OPEN: readonly DagJobState['status'][] = [JOB_STATUS.ready, JOB_STATUS.blocked];

function recordsByJob(jobs: DagJobs, records: readonly RunAttempt[]): Map<number, RunAttempt[]> {
  const known = new Map<number, RunAttempt[]>();
  for (const each of records) {
    const job = jobs.of(each);
    if (job !== undefined) known.set(job.id, [...(known.get(job.id) ?? []), each]);
  }
  return known;
}

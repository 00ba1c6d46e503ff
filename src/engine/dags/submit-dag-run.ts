import type { RunDriver, RunFiles } from '../../contract/run-engine.ts';
import { ABSENT_MS, backOffMs } from '../../core/allocation/back-off.ts';
import { SUBMISSION_MS } from '../../core/dag/dag-run.ts';
import { HoldfastError } from '../../core/errors.ts';
import {
  type DagRunRow,
  findDagRun,
  noteDagProblem,
  type OpenDagRun,
  toRefused,
  toSubmitted,
  toSubmitting,
  toUnsent,
} from '../../store/rows/dags/dag-run-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import { startRound } from '../../store/rows/requests/round-rows.ts';
import { startRun } from '../../store/rows/workflows/run-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import { recordRequest } from '../records/record-request.ts';
import { dagFileOf } from './plan-dag-run.ts';
import { readRunOrder } from './read-run-order.ts';

/** Problems of the files of a run are of the machine: they may pass. */
const FILES_MS = 60_000;

type Submitted = DagRunRow & Pick<OpenDagRun, 'request_id'>;

const filesOf = (row: Submitted): RunFiles => ({
  directory: row.directory,
  dag: dagFileOf(row),
  tag: row.tag,
});

/**
 * Writes the files of a run and submits it. From before the submission until its id is recorded the row is in
 * `submitting`: whoever finds it so asks the queue first.
 */
export async function submitDagRun(store: Store, { engine }: RunDriver, row: Submitted): Promise<void> {
  try {
    await engine.prepare(await store.read((now) => readRunOrder(row, now)));
  } catch (error) {
    const problem = `the DAG cannot be written: ${(error as Error).message}`;
    await store.write(function* (now) {
      if (problem !== row.problem) yield* recordDagEvent(row, 'dag_problem', { problem }, now);
      yield* noteDagProblem(row, problem, now + FILES_MS);
    });
    return;
  }
  if (!(await store.write((now) => begin(row, now)))) return;
  const begun: Submitted = { ...row, state: 'submitting' };
  try {
    const id = await engine.submit(filesOf(row));
    await store.write((now) => noteSubmitted(begun, id, now));
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    const { message } = error;
    await store.write(function* (now) {
      if (message !== row.problem) yield* recordDagEvent(row, 'dag_problem', { problem: message }, now);
      // Where nobody answered, it may have been submitted all the same.
      if (error.code === 'CLUSTER_REFUSED') {
        yield* toRefused(begun, message, now + Math.max(backOffMs(row.refusals + 1), SOON_MS));
      } else yield* noteDagProblem(begun, message, now + ABSENT_MS);
    });
  }
}

const SOON_MS = 5_000;

function* begin(row: DagRunRow, now: number): Script<boolean> {
  yield* takeWorkflow(row.workflow_id);
  const current = yield* findDagRun(row);
  if (current?.state !== 'planned') return false;
  yield* toSubmitting(current, now);
  return true;
}

/** A submission was begun, here or by a process that died: the queue and the files say whether it arrived. */
export async function findDagSubmission(store: Store, { engine }: RunDriver, row: Submitted): Promise<void> {
  try {
    const id = await engine.find(filesOf(row));
    await store.write(function* (now) {
      if (id !== null) yield* noteSubmitted(row, id, now);
      else if (now < row.submitting_at! + SUBMISSION_MS)
        yield* noteDagProblem(row, row.problem, now + SOON_MS);
      else yield* toUnsent(row);
    });
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    await store.write((now) => noteDagProblem(row, error.message, now + ABSENT_MS));
  }
}

function* noteSubmitted(row: Submitted, id: string, now: number): Script<void> {
  const { workflow_id, run_id, directory } = row;
  yield* takeWorkflow(workflow_id);
  yield* toSubmitted(row, id, now);
  yield* recordDagEvent(row, 'dag_submitted', { run_id, cluster: id, directory }, now);
  if (!(yield* startRun(workflow_id, run_id, now))) return;
  if (row.request_id !== null) yield* startRound(workflow_id);
  const data = { executor: 'htcondor', cluster: id };
  yield* appendEvent({ workflow_id, run_id, at: now, type: 'run_started', data });
}

/** In the history of its request, else among the events of its workflow. */
export function* recordDagEvent(
  row: DagRunRow,
  action: 'dag_submitted' | 'dag_problem' | 'dag_crashed' | 'dag_ended',
  data: Record<string, unknown>,
  now: number,
): Script<void> {
  const { workflow_id, run_id } = row;
  const { request_id } = yield* takeWorkflow(workflow_id);
  if (request_id === null) yield* appendEvent({ workflow_id, run_id, at: now, type: action, data });
  else yield* recordRequest(yield* getRequestRow(request_id), action, data, now);
}

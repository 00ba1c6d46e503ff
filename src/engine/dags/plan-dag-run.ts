import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { isRunEnd } from '../../core/run/run-transitions.ts';
import { findNewestDagRun, hasOpenDagRun, insertDagRun } from '../../store/rows/dags/dag-run-rows.ts';
import { hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import { findRoundOf } from '../../store/rows/requests/round-rows.ts';
import { findRun } from '../../store/rows/workflows/run-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import { endRunIfComplete } from '../runs/end-run.ts';

/** The outermost DAG of a directory. */
export const dagFileOf = ({ request_id }: Pick<WorkflowRow, 'request_id'>): string =>
  request_id === null ? 'workflow.dag' : 'round.dag';

/** The number of the run in the files of its directory, which begins with 1 in each. */
export const fileRunOf = (row: { request_id: number | null; number: number }): number =>
  row.request_id === null ? 1 : row.number;

/**
 * Writes the row of a DAG for what is left of the current run, from which everything else follows. Those of a round after
 * the first one use the directory of the one before: DAGMan continues from what it left there. Of another workflow, what
 * is left may be anything that people retried or reset, so that each DAG is written anew. Returns false where there is
 * nothing to plan.
 */
export function* planDagRun(workflowId: number, now: number): Script<boolean> {
  const workflow = yield* takeWorkflow(workflowId);
  const { run_id } = workflow;
  if (workflow.paused_at !== null || isRunEnd((yield* findRun(workflowId, run_id)).state)) return false;
  if (yield* hasOpenDagRun(workflowId)) return false;
  if (!(yield* hasOpenJobs(workflowId))) {
    yield* endRunIfComplete(workflow, now);
    return false;
  }
  const before = yield* findNewestDagRun(workflowId);
  const mark = randomBytes(6).toString('hex');
  const kept = workflow.request_id === null ? undefined : before?.directory;
  const directory = kept ?? (yield* newDirectory(workflow, mark));
  const key = { workflow_id: workflowId, number: (before?.number ?? 0) + 1 };
  yield* insertDagRun({ ...key, run_id, tag: `holdfast-${mark}`, directory }, now);
  return true;
}

/** Nothing else was ever run there, whatever happened to the database. */
function* newDirectory({ id, request_id, cwd, output_dir }: WorkflowRow, mark: string): Script<string> {
  if (request_id === null) return resolve(cwd, output_dir, 'htcondor', `workflow_${id}`, `dag-${mark}`);
  const { name, version } = yield* getRequestRow(request_id);
  const { number } = (yield* findRoundOf(id))!;
  const round = `round_${String(number).padStart(3, '0')}`;
  return resolve(cwd, output_dir, 'requests', name, `v${version}`, round, `dag-${mark}`);
}

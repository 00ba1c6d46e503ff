import type { JobWait } from '../../contract/records/records.ts';
import { findNewestDagRun } from '../../store/rows/dags/dag-run-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

/**
 * How the DAG stands that ready jobs of a workflow wait for. null: none is in the queue, and no process is about to submit
 * one.
 */
export function* readDagWait(
  { id, run_id, executor, shared }: WorkflowRow,
  now: number,
): Script<JobWait | null> {
  if (executor !== 'htcondor') return null;
  const newest = yield* findNewestDagRun(id);
  const run = newest?.run_id === run_id && newest.state !== 'ended' ? newest : null;
  // Once it is submitted, DAGMan needs no process of ours.
  const isDriven = run?.state === 'submitted' || (run !== null && run.lease_expires_at > now);
  if (shared === 0 && !isDriven) return null;
  const { cluster_id = null, problem = null } = run ?? {};
  return {
    short: { kind: 'dagman', cluster_id, problem },
    worker: null,
    total: null,
    held_by: [],
    holders: 0,
  };
}

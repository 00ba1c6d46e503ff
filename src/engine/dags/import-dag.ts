import type { DagAttempt, DagEvidence, DagImport } from '../../contract/dag-evidence.ts';
import { recordOfAttempt } from '../../core/dag/imported-record.ts';
import { recordWithoutEvidence } from '../../core/dag/recorded-attempt.ts';
import type { ErrorSettings } from '../../core/request/error-settings.ts';
import { listDagJobs } from '../../store/rows/dags/dag-job-rows.ts';
import { getRequestRow, moveRequest } from '../../store/rows/requests/request-rows.ts';
import { findRoundOf, insertRound, moveRound } from '../../store/rows/requests/round-rows.ts';
import { settleUnits } from '../../store/rows/requests/unit-rows.ts';
import type { Script } from '../../store/script.ts';
import { cancelOpenJobs } from '../flow/cancel-jobs.ts';
import type { RunOf } from '../flow/follow-flow.ts';
import { needWorkflow } from '../records/needed-rows.ts';
import { recordRequest } from '../records/record-request.ts';
import { beginRequest, headOf, showNewRequest } from '../requests/store-request.ts';
import { unitParts } from '../requests/unit-parts.ts';
import { creditUnits } from '../rounds/credit-units.ts';
import { settingsOf } from '../rounds/request-settings.ts';
import { endRunIfComplete } from '../runs/end-run.ts';
import { storeAtOnce } from '../submit/create-workflow.ts';
import { prepareWorkflow, workflowParts } from '../submit/workflow-parts.ts';
import { importAttempt } from './import-attempts.ts';
import { importedModel } from './imported-model.ts';

/**
 * Stores a DAG as a request that has ended as FAILED, with one round: units, jobs and attempts as its files say, so that
 * errors, failures and explanations are those of any request. Nothing of it can run. One transaction: all of it or
 * nothing. Returns the number of the request.
 */
export function* importDag({ name, evidence, actor }: DagImport, now: number): Script<number> {
  const { directory, dag, ended } = evidence;
  const { request: model, workflow, units, nodes } = importedModel(name, evidence);
  const place = { cwd: directory, output_dir: directory, actor };
  const id = yield* beginRequest(headOf({ model, items: null, ...place }), now);
  const request = yield* showNewRequest(id);
  yield* recordRequest(request, 'request_imported', { actor, directory, dag, how: ended?.how ?? null }, now);
  // Before its round: no end of a run is decided for a request that has ended.
  yield* moveRequest(request, 'FAILED', now);
  const prepared = prepareWorkflow({ model: workflow, ...place });
  const head = { ...prepared.head, request_id: id };
  const parts = [...workflowParts(workflow), ...unitParts(units)];
  const workflowId = yield* storeAtOnce({ ...prepared, head, executor: 'htcondor' }, parts, now);
  yield* insertRound(id, 1, workflowId);
  yield* importAttempts({ id: workflowId, run_id: 1 }, nodes, evidence, settingsOf(request), now);
  const stored = yield* needWorkflow(workflowId);
  yield* cancelOpenJobs(
    stored,
    null,
    { actor: null, reason: `not run: DAGMan ended (${how(evidence)})` },
    now,
  );
  yield* endRunIfComplete(stored, now);
  const counts = (yield* creditUnits(yield* getRequestRow(id), stored, settleUnits)).units;
  const round = (yield* findRoundOf(workflowId))!;
  yield* moveRound(
    round,
    counts.done === 0 ? 'FAILED' : counts.done === counts.total ? 'COMPLETED' : 'PARTIAL',
  );
  return id;
}

const how = ({ ended }: DagEvidence) => ended?.how ?? 'unknown';

function* importAttempts(
  run: RunOf,
  nodes: readonly string[],
  { attempts, units, without_evidence }: DagEvidence,
  settings: ErrorSettings,
  now: number,
): Script<void> {
  const known = new Map<string, DagAttempt[]>();
  for (const each of attempts) known.set(each.node, [...(known.get(each.node) ?? []), each]);
  const done = new Set(units.filter(({ state }) => state === 'done').map(({ name }) => name));
  const failed = new Set(without_evidence);
  for (const [index, { id }] of (yield* listDagJobs(run.id)).entries()) {
    const node = nodes[index]!;
    const own = known.get(node) ?? [];
    for (const each of own) yield* importAttempt(run, id, recordOfAttempt(each, now), settings, now);
    const isDone = done.has(node) || done.has(node.split('/')[0]!);
    if (!isDone && !failed.has(node)) continue;
    // Where the job has ended by its records, this is not recorded.
    const nothing = { node_name: node, run: 1, attempt: own.length + 1 };
    yield* importAttempt(run, id, recordWithoutEvidence(nothing, isDone, now), settings, now);
  }
}

import { HOOK_TIMEOUT_MS, type OutputEvent } from '../../core/request/output-hook.ts';
import { requestStops } from '../../store/rows/errands/errand-rows.ts';
import {
  insertOutputErrand,
  listRunningOutputs,
  type OutputErrandData,
  withdrawOutputs,
} from '../../store/rows/errands/output-errand-rows.ts';
import { decodeModel, type RequestRow, setOutputState } from '../../store/rows/requests/request-rows.ts';
import { newestRound } from '../../store/rows/requests/round-rows.ts';
import { findWorkflow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { RunOf } from '../flow/follow-flow.ts';
import { ENGINE, recordRequest } from '../records/record-request.ts';

/** Outputs of units that were finished in a run are valid from now on. */
export function* orderRegistration(request: RequestRow, run: RunOf, now: number): Script<void> {
  yield* recordRequest(request, 'outputs_registered', { workflow_id: run.id, run_id: run.run_id }, now);
  if (decodeModel(request.model).hooks.output_registered === null) return;
  yield* orderErrand(request, run, { event: 'registered', actor: ENGINE, reason: null }, now);
}

/**
 * Outputs of the request are not to be used any more: a registration that waits is withdrawn, one that runs is stopped. A
 * request without rounds has no outputs.
 */
export function* invalidateOutputs(
  request: RequestRow,
  why: { actor: string; reason: string | null },
  now: number,
): Script<void> {
  yield* setOutputState(request.id, 'invalidated');
  yield* recordRequest(request, 'outputs_invalidated', why, now);
  yield* withdrawOutputs(request.id, now);
  yield* requestStops(yield* listRunningOutputs(request.id));
  const round = yield* newestRound(request.id);
  if (round === undefined) return;
  const workflow = (yield* findWorkflow(round.workflow_id))!;
  yield* orderErrand(request, workflow, { event: 'invalidated', ...why }, now);
}

function* orderErrand(
  request: RequestRow,
  { id, run_id }: RunOf,
  about: { event: OutputEvent; actor: string; reason: string | null },
  now: number,
): Script<void> {
  const data: OutputErrandData = { ...about, at: now, problem: null };
  yield* insertOutputErrand(
    { request_id: request.id, workflow_id: id, run_id, data, timeout_ms: HOOK_TIMEOUT_MS },
    now,
  );
}

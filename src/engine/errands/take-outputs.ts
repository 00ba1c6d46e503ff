import type { OutputsOrder } from '../../contract/records/errand.ts';
import { HOOK_TIMEOUT_MS, idempotencyKey, manifestPath } from '../../core/request/output-hook.ts';
import { finishErrand } from '../../store/rows/errands/errand-rows.ts';
import {
  getOutputErrand,
  type OutputErrandData,
  type OutputErrandRow,
  startOutputs,
} from '../../store/rows/errands/output-errand-rows.ts';
import {
  decodeModel,
  getRequestRow,
  lockRequest,
  type RequestRow,
} from '../../store/rows/requests/request-rows.ts';
import { findRoundOf } from '../../store/rows/requests/round-rows.ts';
import { listDoneOutputs } from '../../store/rows/requests/unit-rows.ts';
import type { Script } from '../../store/script.ts';

/** So many are looked at in one exchange. */
export const OUTPUTS_AT_ONCE = 20;

/** Hands an errand of outputs to a worker. null: another worker has it, or it is not needed any more. */
export function* takeOutputs(
  { id, request_id }: OutputErrandRow,
  workerId: number,
  now: number,
): Script<OutputsOrder | null> {
  yield* lockRequest(request_id);
  if (!(yield* startOutputs(id, workerId, now))) return null;
  const errand = yield* getOutputErrand(id);
  const request = yield* getRequestRow(request_id);
  const data = JSON.parse(errand.data) as OutputErrandData;
  // A try that failed while the outputs were invalidated.
  if (data.event === 'registered' && request.output_state === 'invalidated') {
    yield* finishErrand(id, { withdrawn: true }, now);
    return null;
  }
  return yield* orderOf(errand, request, data);
}

function* orderOf(
  { id, workflow_id, run_id }: OutputErrandRow,
  request: RequestRow,
  { event, reason, actor, at }: OutputErrandData,
): Script<OutputsOrder> {
  const { number: round } = (yield* findRoundOf(workflow_id))!;
  const { hooks } = decodeModel(request.model);
  const isRegistration = event === 'registered';
  return {
    kind: 'outputs',
    id,
    workflow_id,
    run_id,
    request_name: request.name,
    version: request.version,
    event,
    round,
    reason,
    actor,
    at_ms: at,
    outputs: yield* listDoneOutputs(request.id, isRegistration ? { workflow_id, run_id } : null),
    hook: isRegistration ? hooks.output_registered : hooks.output_invalidated,
    manifest: isRegistration ? null : manifestPath(request),
    idempotency_key: idempotencyKey(request, event, { round, run_id }),
    cwd: request.cwd,
    output_dir: request.output_dir,
    timeout_ms: HOOK_TIMEOUT_MS,
  };
}

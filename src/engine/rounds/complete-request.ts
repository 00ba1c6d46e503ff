import type { RequestModel } from '../../core/request/request-model.ts';
import {
  decodeModel,
  getRequestRow,
  moveRequest,
  type RequestRow,
  setOutputState,
} from '../../store/rows/requests/request-rows.ts';
import type { Script } from '../../store/script.ts';
import { notifyRequest } from '../notify/order-notifications.ts';
import { ENGINE, recordRequest, requestLabel } from '../records/record-request.ts';
import { invalidateOutputs } from './output-errands.ts';

/** All work is done. Outputs of earlier versions have replacements from now on. */
export function* completeRequest(request: RequestRow, model: RequestModel, now: number): Script<void> {
  yield* moveRequest(request, 'COMPLETED', now);
  yield* recordRequest(request, 'request_completed', { total: request.total }, now);
  yield* notifyRequest(request, 'finished', { state: 'COMPLETED', reason: null }, now);
  const by = requestLabel(request);
  for (let id = request.previous_id; id !== null; ) {
    const older = yield* getRequestRow(id);
    if (older.output_state === 'active') yield* supersede(older, model, by, now);
    id = older.previous_id;
  }
}

function* supersede(older: RequestRow, newer: RequestModel, by: string, now: number): Script<void> {
  yield* setOutputState(older.id, 'superseded');
  yield* recordRequest(older, 'outputs_superseded', { by }, now);
  const { cleanup_policy } = decodeModel(older.model);
  if (cleanup_policy === 'immediate_cleanup' || newer.cleanup_policy === 'immediate_cleanup') {
    yield* invalidateOutputs(older, { actor: ENGINE, reason: `superseded by ${by}` }, now);
  }
}

import { HoldfastError } from '../../core/errors.ts';
import {
  findRequest,
  getRequestRow,
  lockRequest,
  type RequestRow,
} from '../../store/rows/requests/request-rows.ts';
import { newestRound, type RoundRow } from '../../store/rows/requests/round-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { takeWorkflow } from '../records/needed-rows.ts';

const REFERENCE = /^([^@]+)(?:@([1-9]\d{0,14}))?$/;

/** `name` is its newest version, `name@2` version 2. */
export function* needRequest(ref: string): Script<RequestRow> {
  const [, name, version] = REFERENCE.exec(ref) ?? [];
  const found =
    name === undefined ? undefined : yield* findRequest(name, version === undefined ? null : Number(version));
  if (found === undefined) throw new HoldfastError('REQUEST_NOT_FOUND', { name: ref });
  return found;
}

/** A request that is about to be changed, with its newest round; nobody else changes them meanwhile. */
export interface TakenRequest {
  request: RequestRow;
  round: RoundRow | null;
  workflow: WorkflowRow | null;
}

/** Workflows are locked before requests, as everywhere. */
export function* takeRequest(ref: string): Script<TakenRequest> {
  const { id } = yield* needRequest(ref);
  const before = yield* newestRound(id);
  const workflow = before === undefined ? null : yield* takeWorkflow(before.workflow_id);
  yield* lockRequest(id);
  const round = (yield* newestRound(id)) ?? null;
  // A round that was planned while the lock was awaited is not locked; it has not begun.
  const current =
    round === null || round.workflow_id === workflow?.id ? workflow : yield* takeWorkflow(round.workflow_id);
  return { request: yield* getRequestRow(id), round, workflow: current };
}

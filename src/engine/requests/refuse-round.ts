import { HoldfastError } from '../../core/errors.ts';
import type { RoundState } from '../../core/request/request-states.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import { findRoundOf } from '../../store/rows/requests/round-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

const OPEN: readonly RoundState[] = ['SUBMITTED', 'RUNNING', 'STOPPED'];

/** A job of a round cannot be changed once the round was decided: its numbers or items are credited or planned anew. */
export function* refuseDecided(workflow: WorkflowRow, instead: string): Script<void> {
  if (workflow.request_id === null) return;
  const round = yield* findRoundOf(workflow.id);
  if (round === undefined || !OPEN.includes(round.state)) yield* refuseRound(workflow, instead);
}

/** Rounds are steered through their request, whose ledger must add up. */
export function* refuseRound(workflow: WorkflowRow, instead: string): Script<void> {
  if (workflow.request_id === null) return;
  const { name } = yield* getRequestRow(workflow.request_id);
  const round = yield* findRoundOf(workflow.id);
  throw new HoldfastError('ROUND_WORKFLOW', { id: workflow.id, name, round: round?.number ?? '?', instead });
}

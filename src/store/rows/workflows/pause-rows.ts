import { assertPauseTransition, type PauseState } from '../../../core/run/pause-transitions.ts';
import { changeOne, run, type Script } from '../../script.ts';
import { HAS_TO_BE_SCHEDULED } from '../jobs/state-columns.ts';
import type { WorkflowRow } from './workflow-rows.ts';

/** The columns in each state. */
const COLUMNS: Record<PauseState, string> = {
  unpaused: 'paused_at is null and stopping = 0',
  paused: 'paused_at is not null and stopping = 0',
  stopped: 'paused_at is not null and stopping = 1',
};

type PausedRow = Pick<WorkflowRow, 'id' | 'paused_at' | 'stopping'>;

export function pauseState({ paused_at, stopping }: Omit<PausedRow, 'id'>): PauseState {
  if (paused_at === null) return 'unpaused';
  return stopping === 1 ? 'stopped' : 'paused';
}

/** No job of the workflow is claimed from now on; if it is stopped, running attempts are ended as well. */
export function* setPaused(
  workflow: PausedRow,
  to: 'paused' | 'stopped',
  pause: { at: number; actor: string; reason: string | null },
): Script<void> {
  const from = pauseState(workflow);
  assertPauseTransition(from, to);
  yield* changeOne(
    `update workflow set paused_at = ?, paused_by = ?, pause_reason = ?, stopping = ?
     where id = ? and ${COLUMNS[from]}`,
    pause.at,
    pause.actor,
    pause.reason,
    to === 'stopped' ? 1 : 0,
    workflow.id,
  );
}

export function* endPause(workflow: PausedRow): Script<void> {
  const from = pauseState(workflow);
  assertPauseTransition(from, 'unpaused');
  yield* changeOne(
    `update workflow set paused_at = null, paused_by = null, pause_reason = null, stopping = 0
     where id = ? and ${COLUMNS[from]}`,
    workflow.id,
  );
}

/** Ready jobs could not start during a pause of so many milliseconds: it does not count for when they had to. */
export function* delaySchedules(workflowId: number, ms: number): Script<void> {
  yield* run(
    `update job set waiting_until = waiting_until + ? where workflow_id = ? and ${HAS_TO_BE_SCHEDULED}`,
    ms,
    workflowId,
  );
}

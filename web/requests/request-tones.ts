import type { RequestState, RoundState, UnitState } from '../../src/core/request/request-states.ts';
import type { Tone } from '../parts/status-icon.tsx';

const OF_REQUEST: Record<RequestState, Tone> = {
  SUBMITTED: 'waits',
  QUEUED: 'waits',
  PLANNING: 'runs',
  ACTIVE: 'runs',
  STOPPING: 'blocked',
  RESUBMITTING: 'runs',
  PAUSED: 'blocked',
  HELD: 'asks',
  COMPLETED: 'good',
  FAILED: 'bad',
};

const OF_ROUND: Record<RoundState, Tone> = {
  SUBMITTED: 'waits',
  RUNNING: 'runs',
  COMPLETED: 'good',
  PARTIAL: 'asks',
  FAILED: 'bad',
  STOPPED: 'blocked',
};

const OF_UNIT: Record<UnitState, Tone> = { open: 'waits', done: 'good', failed: 'bad', not_run: 'off' };

export function requestTone(state: RequestState): Tone {
  return OF_REQUEST[state];
}

export function roundTone(state: RoundState): Tone {
  return OF_ROUND[state];
}

export function unitTone(state: UnitState): Tone {
  return OF_UNIT[state];
}

/** `not_run` as people say it; the others are words already. */
export function unitWords(state: UnitState): string {
  return state.replace('_', ' ');
}

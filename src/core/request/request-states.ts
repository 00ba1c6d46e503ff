import { assertListed, type StateTransition, statesBefore } from '../state-transition.ts';

export const REQUEST_STATES = [
  'SUBMITTED',
  'QUEUED',
  'PLANNING',
  'ACTIVE',
  'STOPPING',
  'RESUBMITTING',
  'PAUSED',
  'HELD',
  'COMPLETED',
  'FAILED',
] as const;

export type RequestState = (typeof REQUEST_STATES)[number];

export const ROUND_STATES = ['SUBMITTED', 'RUNNING', 'COMPLETED', 'PARTIAL', 'FAILED', 'STOPPED'] as const;

export type RoundState = (typeof ROUND_STATES)[number];

export const UNIT_STATES = ['open', 'done', 'failed', 'not_run'] as const;

export type UnitState = (typeof UNIT_STATES)[number];

/** fresh: never in a failed unit. attempted: in a failed unit, but not named as its cause. */
export const ITEM_STATES = ['fresh', 'attempted', 'processed', 'excluded'] as const;

export type ItemState = (typeof ITEM_STATES)[number];

/** active: valid. superseded: a newer version of the request is complete. invalidated: not to be used any more. */
export const OUTPUT_STATES = ['active', 'superseded', 'invalidated'] as const;

export type OutputState = (typeof OUTPUT_STATES)[number];

// docs/requests.md draws both lists; a test keeps them equal.
export const REQUEST_TRANSITIONS: readonly StateTransition<RequestState>[] = [
  { from: 'SUBMITTED', to: 'QUEUED', when: 'stored' },
  { from: 'SUBMITTED', to: 'PAUSED', when: 'pause' },
  { from: 'SUBMITTED', to: 'FAILED', when: 'fail or restart' },
  { from: 'QUEUED', to: 'PLANNING', when: 'admitted' },
  { from: 'QUEUED', to: 'PAUSED', when: 'pause' },
  { from: 'QUEUED', to: 'FAILED', when: 'fail or restart' },
  { from: 'PLANNING', to: 'ACTIVE', when: 'round planned, or stopped round resumed' },
  { from: 'PLANNING', to: 'COMPLETED', when: 'nothing left to do' },
  { from: 'PLANNING', to: 'HELD', when: 'planning failed, or no site left' },
  { from: 'PLANNING', to: 'PAUSED', when: 'pause' },
  { from: 'PLANNING', to: 'FAILED', when: 'fail or restart' },
  { from: 'ACTIVE', to: 'QUEUED', when: 'round ended, more work left' },
  { from: 'ACTIVE', to: 'COMPLETED', when: 'round ended, all work done' },
  { from: 'ACTIVE', to: 'HELD', when: 'too many failures' },
  { from: 'ACTIVE', to: 'STOPPING', when: 'stop' },
  { from: 'ACTIVE', to: 'FAILED', when: 'fail or restart' },
  { from: 'STOPPING', to: 'RESUBMITTING', when: 'no attempt is running' },
  { from: 'STOPPING', to: 'COMPLETED', when: 'round ended before it was stopped, all work done' },
  { from: 'STOPPING', to: 'HELD', when: 'round ended before it was stopped, too many failures' },
  { from: 'STOPPING', to: 'FAILED', when: 'fail or restart' },
  { from: 'RESUBMITTING', to: 'QUEUED', when: 'next run of the round created' },
  { from: 'RESUBMITTING', to: 'FAILED', when: 'fail or restart' },
  { from: 'HELD', to: 'QUEUED', when: 'release' },
  { from: 'HELD', to: 'PAUSED', when: 'pause' },
  { from: 'HELD', to: 'FAILED', when: 'fail or restart' },
  { from: 'PAUSED', to: 'QUEUED', when: 'resume' },
  { from: 'PAUSED', to: 'FAILED', when: 'fail or restart' },
];

export const ROUND_TRANSITIONS: readonly StateTransition<RoundState>[] = [
  { from: 'SUBMITTED', to: 'RUNNING', when: 'first job claimed' },
  { from: 'SUBMITTED', to: 'COMPLETED', when: 'all units done' },
  { from: 'SUBMITTED', to: 'PARTIAL', when: 'some units not done' },
  { from: 'SUBMITTED', to: 'FAILED', when: 'no unit done, or request failed' },
  { from: 'SUBMITTED', to: 'STOPPED', when: 'stop' },
  { from: 'RUNNING', to: 'COMPLETED', when: 'all units done' },
  { from: 'RUNNING', to: 'PARTIAL', when: 'some units not done' },
  { from: 'RUNNING', to: 'FAILED', when: 'no unit done, or request failed' },
  { from: 'RUNNING', to: 'STOPPED', when: 'stop' },
  { from: 'PARTIAL', to: 'SUBMITTED', when: 'rescue' },
  { from: 'PARTIAL', to: 'FAILED', when: 'request failed' },
  { from: 'FAILED', to: 'SUBMITTED', when: 'rescue' },
  { from: 'STOPPED', to: 'SUBMITTED', when: 'resumed' },
  { from: 'STOPPED', to: 'FAILED', when: 'request failed' },
];

export function assertRequestTransition(from: RequestState, to: RequestState): void {
  assertListed('request', REQUEST_TRANSITIONS, from, to);
}

export function assertRoundTransition(from: RoundState, to: RoundState): void {
  assertListed('round', ROUND_TRANSITIONS, from, to);
}

/** States from which a request can be moved to this one. */
export function requestStatesBefore(to: RequestState): RequestState[] {
  return statesBefore(REQUEST_TRANSITIONS, to);
}

/** Requests that a server works on at a time, where the configuration sets nothing else. */
export const MAX_ACTIVE_REQUESTS = 20;

/** The request uses one of the places of `max_active_requests`. */
export function isActive(state: RequestState): boolean {
  return state === 'PLANNING' || state === 'ACTIVE' || state === 'STOPPING';
}

export function requestHasEnded(state: RequestState): boolean {
  return state === 'COMPLETED' || state === 'FAILED';
}

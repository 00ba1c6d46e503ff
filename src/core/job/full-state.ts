import type { Avoidance } from '../placement/eligibility.ts';

/** A blocked job waits for one thing. */
export type BlockedWait =
  /** The set of its dependencies is counted down. */
  | { for: 'dependencies' }
  /** A goto runs it again: overtaken attempts in its scope have to end first. Its dependencies are looked at then. */
  | { for: 'overtaken' }
  /** It succeeded; `token` is the attempt whose route runs other steps first. */
  | { for: 'route'; token: number };

/** So does a ready job. Only a job that waits for a worker can be claimed. */
export type ReadyWait =
  /** `gives_up_at`: when its scheduling timeout ends; null: never. */
  | { for: 'worker'; gives_up_at: number | null }
  | { for: 'retry'; until: number }
  /** The recovery script of the attempt `token` has to end; then the backoff. */
  | { for: 'recovery'; token: number; until: number }
  /** The steps that the route of the attempt `token` runs have to end; then the backoff. */
  | { for: 'route'; token: number; until: number };

/** An order to end a live attempt. A cancel replaces a retry; nothing replaces a cancel. */
export type EndingOrder =
  /** `because`: the job because of which it is canceled; null: a user canceled it. */
  { kind: 'cancel'; because: number | null } | { kind: 'retry'; actor: string };

export type BlockedState = { status: 'blocked'; waiting: BlockedWait };

/** `avoids`: where its last attempt failed, and until when another place is waited for. */
export type ReadyState = { status: 'ready'; waiting: ReadyWait; avoids: Avoidance | null };

/**
 * A live attempt. One that a goto has overtaken finishes, and counts for nothing; it can be ordered to end all the same,
 * before or after that.
 */
export type LiveState = { status: 'pending' | 'running'; order: EndingOrder | null; overtaken: boolean };

export type CanceledState = { status: 'canceled'; because: number | null };

export type EndedState = { status: 'completed' | 'failed' | 'terminated' | 'disabled' } | CanceledState;

/** What a job can be called from, and what it returns to. */
export type RestingState =
  | { status: 'blocked'; waiting: Exclude<BlockedWait, { for: 'route' }> }
  | EndedState;

/** The status of a job together with the facts that belong to this status, and to no other. */
export type FullState =
  | { status: 'uninitialized' }
  | BlockedState
  | ReadyState
  | LiveState
  | { status: 'pending_failed' }
  | EndedState;

/** The call that a job serves. Its state is then that of the call; `returns_to` is the state of its planned work. */
export interface ServedCall {
  call_id: number;
  returns_to: RestingState;
}

export function blocked<W extends BlockedWait>(waiting: W): { status: 'blocked'; waiting: W } {
  return { status: 'blocked', waiting };
}

export function ready(waiting: ReadyWait, avoids: Avoidance | null = null): ReadyState {
  return { status: 'ready', waiting, avoids };
}

/** Ready to be claimed. */
export function claimable(givesUpAt: number | null = null): ReadyState {
  return ready({ for: 'worker', gives_up_at: givesUpAt });
}

export function canceled(because: number | null): CanceledState {
  return { status: 'canceled', because };
}

export function isLiveState(state: FullState): state is LiveState {
  return state.status === 'pending' || state.status === 'running';
}

export function isEndedState(state: FullState): state is EndedState {
  switch (state.status) {
    case 'completed':
    case 'failed':
    case 'terminated':
    case 'disabled':
    case 'canceled':
      return true;
    default:
      return false;
  }
}

/** Canceled because of another job, and not by a user. */
export function isCanceledBecause(state: FullState): boolean {
  return state.status === 'canceled' && state.because !== null;
}

/** The attempt whose route has to end before the job continues; null: it waits for no route. */
export function awaitedRoute(state: FullState): number | null {
  if (state.status !== 'blocked' && state.status !== 'ready') return null;
  return state.waiting.for === 'route' ? state.waiting.token : null;
}

/** Waits for its dependencies only. */
export function awaitsDependencies(state: FullState): boolean {
  return state.status === 'blocked' && state.waiting.for === 'dependencies';
}

/** The goal of a goto that waits until overtaken attempts have ended. */
export function awaitsOvertaken(state: FullState): boolean {
  return state.status === 'blocked' && state.waiting.for === 'overtaken';
}

/** Its live attempt counts for nothing. */
export function isOvertaken(state: FullState): boolean {
  return isLiveState(state) && state.overtaken;
}

/** When the next attempt may start, if that has to be waited for; null: no retry is waited for. */
export function retryTime(state: FullState): number | null {
  return state.status === 'ready' && state.waiting.for !== 'worker' ? state.waiting.until : null;
}

/** What a live attempt is ordered to end for; null: nothing. */
export function orderOf(state: FullState): EndingOrder | null {
  return isLiveState(state) ? state.order : null;
}

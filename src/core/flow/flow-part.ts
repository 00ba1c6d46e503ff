import type { FullState, ServedCall } from '../job/full-state.ts';

/** How a job's end counts for its dependents. */
export type Settled = 'succeeded' | 'failed' | 'disabled';

/**
 * How a member's end is counted in a set: it must succeed, it must have ended, it must not have failed, or (numbers from
 * 1) one of its group must succeed.
 */
export const MEMBER_PLAIN = 0;
export const MEMBER_JOINED = -1;
export const MEMBER_PRODUCER = -2;

/** A job, as far as it takes part in the flow. */
export interface FlowJob {
  id: number;
  name: string;
  scope: string;
  state: FullState;
  visit: number;
  attempt_id: number;
  dependency_set_id: number | null;
  scheduling_timeout: number | null;
  cancel_on_failure: boolean;
  continue_on_failure: boolean;
  /** Its sweep, if the rest of that is canceled when one of its jobs fails. */
  fail_fast: string | null;
  on_call: boolean;
  /** It stands for the jobs of items that there are not yet. */
  is_blueprint: boolean;
  /** When it completes, jobs are made for the items of its output. */
  has_items: boolean;
  settled: Settled | null;
  /** The call that it serves; null: none. */
  serves: ServedCall | null;
  /** Why it is in its state. */
  reason: string | null;
}

/** Jobs that others wait for together, with a countdown. */
export interface FlowSet {
  id: number;
  size: number;
  remaining: number;
  unsuccessful: number;
  disabled: number;
}

export interface FlowMember {
  set_id: number;
  job_id: number;
  kind: number;
}

/** How many members of a kind are settled like this. */
export interface FlowTally {
  kind: number;
  settled: Settled | null;
  count: number;
}

export interface FlowRoute {
  token: number;
  job_id: number;
  kind: 'on_fail' | 'on_success';
  not_before: number | null;
  state: RouteState;
}

export interface FlowCall {
  id: number;
  route_token: number;
  job_id: number;
  position: number;
  state: CallState;
}

/** calling: steps of it run. evaluating: its code is to be evaluated, or is being. */
export type RouteState = 'calling' | 'evaluating' | 'ended';

/** queued: others of the route come first. waiting: the step is busy. */
export type CallState = 'queued' | 'waiting' | 'active' | 'ended' | 'dropped';

/** The loaded part of a workflow's graph. What is absent has not been loaded. */
export interface FlowPart {
  jobs: Map<number, FlowJob>;
  sets: Map<number, FlowSet>;
  /** By job; loaded with it. */
  memberships: Map<number, FlowMember[]>;
  /** By set: all its members, counted. */
  tallies: Map<number, FlowTally[]>;
  /** By set: its members that did not succeed and count as such, in the order of their ids. */
  failedMembers: Map<number, { id: number; name: string }[]>;
  /** Sets whose dependents that are blocked have all been loaded. */
  dependents: Set<number>;
  /** Jobs of which everything has been loaded that was canceled because of them, directly or not. */
  canceledBelow: Set<number>;
  /** By `sweepKey`: its jobs that are open, failed, or were canceled because of another job. */
  sweeps: Map<string, number[]>;
  /** With all their calls. */
  routes: Map<number, FlowRoute>;
  calls: Map<number, FlowCall>;
  /** Jobs of the workflow whose attempt was overtaken, and blocked ones that wait for these; null: not loaded. */
  overtaken: number[] | null;
}

/** Jobs that one `fail_fast` holds for share it. */
export function sweepKey({ sweep, scope }: { sweep: string; scope: string }): string {
  return JSON.stringify([sweep, scope]);
}

/** What has to be loaded before the moves are known. */
export type FlowNeed =
  | { kind: 'jobs'; ids: number[] }
  | { kind: 'dependents'; sets: number[] }
  | { kind: 'canceled_below'; jobs: number[] }
  | { kind: 'sweep'; sweep: string; scope: string }
  | { kind: 'tallies'; sets: number[] }
  | { kind: 'failed_members'; set: number }
  | { kind: 'routes'; tokens: number[] }
  | { kind: 'calls'; ids: number[] }
  | { kind: 'overtaken' };

export function emptyPart(): FlowPart {
  return {
    jobs: new Map(),
    sets: new Map(),
    memberships: new Map(),
    tallies: new Map(),
    failedMembers: new Map(),
    dependents: new Set(),
    canceledBelow: new Set(),
    sweeps: new Map(),
    routes: new Map(),
    calls: new Map(),
    overtaken: null,
  };
}

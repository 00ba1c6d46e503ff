import type { StateTransition } from '../state-transition.ts';
import type { CallState, RouteState } from './flow-part.ts';

export const ROUTE_TRANSITIONS: readonly StateTransition<RouteState>[] = [
  { from: null, to: 'calling', when: 'an attempt has steps run' },
  { from: 'calling', to: 'evaluating', when: 'the steps have ended and code decides what follows' },
  { from: 'calling', to: 'ended', when: 'the steps have ended, or are not wanted any more' },
  { from: 'evaluating', to: 'ended', when: 'the code has been evaluated, or is not wanted any more' },
];

export const CALL_TRANSITIONS: readonly StateTransition<CallState>[] = [
  { from: null, to: 'queued', when: 'an attempt has steps run' },
  { from: 'queued', to: 'active', when: 'its turn has come' },
  { from: 'queued', to: 'waiting', when: 'its turn has come, and the step is busy' },
  { from: 'queued', to: 'dropped', when: 'a step before it failed, goto or cancel' },
  { from: 'waiting', to: 'active', when: 'the step is free' },
  { from: 'waiting', to: 'dropped', when: 'goto or cancel' },
  { from: 'active', to: 'ended', when: 'the step has ended' },
  { from: 'active', to: 'dropped', when: 'goto or cancel' },
];

export function assertCallTransition(from: CallState, to: CallState): void {
  if (CALL_TRANSITIONS.some((each) => each.from === from && each.to === to)) return;
  throw new Error(`no call moves from ${from} to ${to}`);
}

export function assertRouteTransition(from: RouteState, to: RouteState): void {
  if (from === to || routesBefore(to).includes(from)) return;
  throw new Error(`no route moves from ${from} to ${to}`);
}

/** The states from which a route moves to this one. */
export function routesBefore(to: RouteState): RouteState[] {
  return ROUTE_TRANSITIONS.flatMap((each) => (each.to === to && each.from !== null ? [each.from] : []));
}

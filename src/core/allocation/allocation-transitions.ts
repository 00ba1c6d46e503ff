import { assertListed, type StateTransition } from '../state-transition.ts';

/**
 * `planned`: ordered, and not submitted. `submitting`: the cluster may have been asked for it. `queued` and `running`: as
 * the cluster says.
 */
export const ALLOCATION_STATES = ['planned', 'submitting', 'queued', 'running', 'ended'] as const;
export type AllocationState = (typeof ALLOCATION_STATES)[number];

/** Every transition of an allocation. Only a cluster that answers moves one: where it is absent, nothing is concluded. */
export const ALLOCATION_TRANSITIONS: readonly StateTransition<AllocationState>[] = [
  { from: null, to: 'planned', when: 'jobs need it, an action or a person orders it' },
  { from: 'planned', to: 'submitting', when: 'the cluster is about to be asked' },
  { from: 'planned', to: 'ended', when: 'canceled before it was submitted' },
  { from: 'submitting', to: 'planned', when: 'refused, or the cluster has never heard of it' },
  { from: 'submitting', to: 'queued', when: 'submitted, or found by its tag' },
  { from: 'submitting', to: 'running', when: 'found by its tag, or its worker registers' },
  { from: 'submitting', to: 'ended', when: 'the cluster has never heard of it, and it is canceled' },
  { from: 'queued', to: 'running', when: 'it begins, or its worker registers' },
  { from: 'queued', to: 'ended', when: 'the cluster does not list it any more' },
  { from: 'running', to: 'queued', when: 'requeued' },
  { from: 'running', to: 'ended', when: 'the cluster does not list it any more' },
];

export function assertAllocationTransition(from: AllocationState, to: AllocationState): void {
  assertListed('allocation', ALLOCATION_TRANSITIONS, from, to);
}

import type { StateTransition } from '../state-transition.ts';

/** The stored state of a worker. Whether it is suspect or lost follows from its lease and the clock, and is not stored. */
export type WorkerRowState = 'active' | 'draining' | 'retired';

/** Every transition of a worker. A retired worker never comes back: its process registers a new one. */
export const WORKER_TRANSITIONS: readonly StateTransition<WorkerRowState>[] = [
  { from: null, to: 'active', when: 'a process registers it' },
  { from: 'active', to: 'draining', when: 'an operator drains it' },
  { from: 'draining', to: 'active', when: 'another process continues as the worker' },
  { from: 'active', to: 'retired', when: 'it leaves, is found dead or is declared lost' },
  { from: 'draining', to: 'retired', when: 'it leaves, is found dead or is declared lost' },
];

import { assertListed, type StateTransition } from '../state-transition.ts';

/** Whether jobs of a workflow are claimed. `stopped`: none are, and its running attempts are ended as well. */
export type PauseState = 'unpaused' | 'paused' | 'stopped';

/** Every transition of a pause. A pause belongs to the workflow: the end of a run leaves it as it is. */
export const PAUSE_TRANSITIONS: readonly StateTransition<PauseState>[] = [
  { from: null, to: 'unpaused', when: 'submit' },
  { from: 'unpaused', to: 'paused', when: 'pause' },
  { from: 'unpaused', to: 'stopped', when: 'stop' },
  { from: 'paused', to: 'stopped', when: 'stop' },
  { from: 'paused', to: 'unpaused', when: 'resume' },
  { from: 'stopped', to: 'unpaused', when: 'resume' },
];

export function assertPauseTransition(from: PauseState, to: PauseState): void {
  assertListed('pause', PAUSE_TRANSITIONS, from, to);
}

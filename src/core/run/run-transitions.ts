import { assertListed, type StateTransition } from '../state-transition.ts';

/** How a run ended. `replaced`: a new run of the workflow began before every job of this one had ended. */
export const RUN_ENDS = ['completed', 'failed', 'canceled', 'replaced'] as const;

export type EndedRunState = (typeof RUN_ENDS)[number];

/** The stored state of a run. `created`: no worker drives it, and none of its jobs has been claimed. */
export type RunState = 'created' | 'running' | EndedRunState;

/**
 * Every transition of a run. A run ends without having started if it has no jobs to run, or if all of them are canceled
 * or time out before the first claim; a retry reopens such a run as `created`. A run that completed is reopened by a
 * retry of a job whose failure it ignored. A new run leaves an ended one as it is.
 */
export const RUN_TRANSITIONS: readonly StateTransition<RunState>[] = [
  { from: null, to: 'created', when: 'submit, or a reset or update begins a new run' },
  { from: 'created', to: 'running', when: 'a worker drives it or claims its first job' },
  { from: 'created', to: 'completed', when: 'no job has to run' },
  { from: 'created', to: 'failed', when: 'scheduling timeout before the first claim' },
  { from: 'created', to: 'canceled', when: 'user cancels' },
  { from: 'created', to: 'replaced', when: 'a reset or update begins a new run' },
  { from: 'running', to: 'completed', when: 'every job has ended, none without success' },
  { from: 'running', to: 'failed', when: 'every job has ended, some failed' },
  { from: 'running', to: 'canceled', when: 'every job has ended, some were canceled and none failed' },
  { from: 'running', to: 'replaced', when: 'a reset or update begins a new run' },
  { from: 'completed', to: 'running', when: 'retry or late success of a job whose failure was ignored' },
  { from: 'completed', to: 'created', when: 'retry of such a job before the first claim' },
  { from: 'failed', to: 'running', when: 'retry, or late success of a lost attempt' },
  { from: 'failed', to: 'created', when: 'retry before the first claim' },
];

export function assertRunTransition(from: RunState, to: RunState): void {
  assertListed('run', RUN_TRANSITIONS, from, to);
}

const ENDS: ReadonlySet<string> = new Set(RUN_ENDS);

export function isRunEnd(state: string): state is EndedRunState {
  return ENDS.has(state);
}

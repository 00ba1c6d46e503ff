import { assertListed, type StateTransition } from '../state-transition.ts';

/**
 * A run of a workflow on DAGMan. `planned`: nothing was submitted. `submitting`: the queue may have been asked for it.
 * `submitted`: the queue has given it an id. `ended`: it was read back.
 */
export const DAG_RUN_STATES = ['planned', 'submitting', 'submitted', 'ended'] as const;
export type DagRunState = (typeof DAG_RUN_STATES)[number];

/** Every transition of a run on DAGMan. A queue that does not answer moves none. */
export const DAG_RUN_TRANSITIONS: readonly StateTransition<DagRunState>[] = [
  { from: null, to: 'planned', when: 'a run begins, or continues after a pause' },
  { from: 'planned', to: 'submitting', when: 'its files are written' },
  { from: 'planned', to: 'ended', when: 'stopped or paused before it was submitted' },
  { from: 'submitting', to: 'planned', when: 'refused, or the queue has never heard of it' },
  { from: 'submitting', to: 'submitted', when: 'submitted, or found by its tag' },
  { from: 'submitted', to: 'planned', when: 'DAGMan died without a word: it is submitted again' },
  { from: 'submitted', to: 'ended', when: 'read back after its end' },
];

export function assertDagRunTransition(from: DagRunState, to: DagRunState): void {
  assertListed('run on DAGMan', DAG_RUN_TRANSITIONS, from, to);
}

export interface DagRunSituation {
  state: DagRunState;
  /** The run of the workflow is open, and is not being stopped. */
  wanted: boolean;
  /** What runs is to finish, and nothing else is to start. */
  paused: boolean;
  /** When it may be submitted; null: at once. */
  nextTryAt: number | null;
  /** When the queue was last asked to remove it; null: never. */
  removedAt: number | null;
  /** Since when DAGMan starts nothing new; null: it does. */
  haltedAt: number | null;
  /** How often DAGMan died without a word. */
  crashes: number;
  /** As the queue and the files say; null: nobody was asked. */
  view: { state: 'queued' | 'running' | 'ended' | 'unknown'; crashed: boolean } | null;
}

/**
 * A submission that was begun and is not in the queue after so long was never made: no command lives longer than 30 s,
 * and one of a process that died may still be under way.
 */
export const SUBMISSION_MS = 40_000;

/**
 * `find`: whether a submission that was begun has arrived. `close`: nothing of it was ever submitted. `halt`: DAGMan is to
 * start nothing new; `continue`: it is to start jobs again.
 */
export type DagRunStep =
  | 'submit'
  | 'find'
  | 'remove'
  | 'halt'
  | 'continue'
  | 'resubmit'
  | 'settle'
  | 'close'
  | 'wait';

/** The queue is asked again to remove what it still lists after so long. */
export const REMOVE_AGAIN_MS = 30_000;
/** A DAGMan that dies more often than this is not submitted again in the same run. */
export const MOST_CRASHES = 3;

/** What is done next about a run on DAGMan. Pure. */
export function decideDagRun(facts: DagRunSituation, now: number): DagRunStep {
  const { state, wanted, paused, nextTryAt, removedAt, haltedAt, crashes, view } = facts;
  switch (state) {
    case 'planned':
      if (!wanted || paused) return 'close';
      return nextTryAt === null || nextTryAt <= now ? 'submit' : 'wait';
    case 'submitting':
      return nextTryAt === null || nextTryAt <= now ? 'find' : 'wait';
    case 'ended':
      return 'wait';
    case 'submitted':
      // Nothing is concluded from silence.
      if (view === null || view.state === 'unknown') return 'wait';
      if (view.state === 'ended')
        return view.crashed && wanted && !paused && crashes < MOST_CRASHES ? 'resubmit' : 'settle';
      if (wanted) return paused === (haltedAt !== null) ? 'wait' : paused ? 'halt' : 'continue';
      return removedAt === null || removedAt + REMOVE_AGAIN_MS <= now ? 'remove' : 'wait';
  }
}

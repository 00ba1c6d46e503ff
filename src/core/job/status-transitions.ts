import type { JobStatus } from './job-status.ts';

export interface StatusTransition {
  from: JobStatus;
  to: JobStatus;
  /** What makes it happen, in the words of the diagram in docs/statuses.md. */
  when: string;
}

/**
 * Every transition the engine makes, asserted where rows move. docs/statuses.md draws this list; a test keeps the two
 * equal. A called job returns to the status that it had before; a call that fails leaves a job failed that had ended.
 */
export const STATUS_TRANSITIONS: readonly StatusTransition[] = [
  { from: 'uninitialized', to: 'blocked', when: 'initialize' },
  { from: 'uninitialized', to: 'ready', when: 'no dependencies' },
  { from: 'uninitialized', to: 'disabled', when: 'on call' },
  { from: 'blocked', to: 'ready', when: 'dependencies met, or called by a route' },
  { from: 'blocked', to: 'canceled', when: 'dependency failed or user cancels' },
  { from: 'blocked', to: 'disabled', when: 'dependency disabled, no item for it, or an update removes it' },
  { from: 'blocked', to: 'completed', when: 'what it called has ended' },
  { from: 'blocked', to: 'failed', when: 'too many loops' },
  { from: 'blocked', to: 'terminated', when: 'returns from a call' },
  { from: 'blocked', to: 'uninitialized', when: 'reset-status or an update' },
  { from: 'ready', to: 'pending', when: 'claimed' },
  { from: 'ready', to: 'canceled', when: 'user cancels' },
  { from: 'ready', to: 'failed', when: 'scheduling timeout, late retry, or remediation failed' },
  { from: 'ready', to: 'blocked', when: 'goto overtakes it, or a dependency runs again' },
  { from: 'ready', to: 'completed', when: 'returns from a call' },
  { from: 'ready', to: 'terminated', when: 'returns from a call, or late retry' },
  { from: 'ready', to: 'disabled', when: 'returns from a call, or an update removes it' },
  { from: 'ready', to: 'uninitialized', when: 'reset-status or an update' },
  { from: 'pending', to: 'running', when: 'started' },
  { from: 'pending', to: 'ready', when: 'never started' },
  { from: 'pending', to: 'completed', when: 'success before its start was reported' },
  { from: 'pending', to: 'failed', when: 'could not be started' },
  { from: 'pending', to: 'terminated', when: 'ended before its start was reported' },
  { from: 'pending', to: 'pending_failed', when: 'could not be started, waiting for a decision' },
  { from: 'pending', to: 'blocked', when: 'goto overtook it, or a dependency runs again' },
  { from: 'pending', to: 'canceled', when: 'user cancels' },
  { from: 'pending', to: 'disabled', when: 'its if is false' },
  { from: 'running', to: 'completed', when: 'success' },
  { from: 'running', to: 'ready', when: 'retry, lost or stopped' },
  { from: 'running', to: 'blocked', when: 'goto, it calls steps first, or a dependency runs again' },
  { from: 'running', to: 'failed', when: 'no retry left' },
  { from: 'running', to: 'terminated', when: 'no retry left after signal or timeout' },
  { from: 'running', to: 'pending_failed', when: 'waiting for a decision' },
  { from: 'running', to: 'canceled', when: 'user cancels or workflow is aborted' },
  { from: 'running', to: 'disabled', when: 'its if is false' },
  { from: 'pending_failed', to: 'ready', when: 'a decision to retry' },
  { from: 'pending_failed', to: 'failed', when: 'a decision to fail' },
  { from: 'pending_failed', to: 'canceled', when: 'user cancels or workflow is aborted' },
  { from: 'pending_failed', to: 'blocked', when: 'goto, or retried while a dependency runs again' },
  { from: 'pending_failed', to: 'completed', when: 'returns from a call' },
  { from: 'pending_failed', to: 'terminated', when: 'returns from a call' },
  { from: 'pending_failed', to: 'disabled', when: 'returns from a call, or an update removes it' },
  { from: 'pending_failed', to: 'uninitialized', when: 'reset-status or an update' },
  { from: 'completed', to: 'uninitialized', when: 'reset-status or an update' },
  { from: 'completed', to: 'ready', when: 'called by a route' },
  { from: 'completed', to: 'blocked', when: 'goto, or returns from a call' },
  { from: 'completed', to: 'failed', when: 'returns from a call' },
  { from: 'completed', to: 'terminated', when: 'returns from a call' },
  { from: 'completed', to: 'canceled', when: 'returns from a call' },
  { from: 'completed', to: 'disabled', when: 'returns from a call, no item for it, or an update removes it' },
  { from: 'failed', to: 'uninitialized', when: 'reset-status or an update' },
  { from: 'failed', to: 'ready', when: 'manual retry, or called by a route' },
  {
    from: 'failed',
    to: 'blocked',
    when: 'goto, returns from a call, or retried while a dependency runs again',
  },
  { from: 'failed', to: 'disabled', when: 'no item for it, or an update removes it' },
  { from: 'terminated', to: 'uninitialized', when: 'reset-status or an update' },
  { from: 'terminated', to: 'ready', when: 'manual retry, or called by a route' },
  {
    from: 'terminated',
    to: 'blocked',
    when: 'goto, returns from a call, or retried while a dependency runs again',
  },
  { from: 'terminated', to: 'disabled', when: 'no item for it, or an update removes it' },
  { from: 'canceled', to: 'uninitialized', when: 'reset-status or an update' },
  { from: 'canceled', to: 'ready', when: 'called by a route' },
  { from: 'canceled', to: 'blocked', when: 'its dependency is retried, or goto' },
  { from: 'canceled', to: 'disabled', when: 'no item for it, or an update removes it' },
  { from: 'disabled', to: 'uninitialized', when: 'reset-status or an update' },
  { from: 'disabled', to: 'ready', when: 'called by a route' },
  { from: 'disabled', to: 'blocked', when: 'goto, or returns from a call' },
  { from: 'disabled', to: 'completed', when: 'returns from a call' },
  { from: 'disabled', to: 'failed', when: 'returns from a call' },
  { from: 'disabled', to: 'terminated', when: 'returns from a call' },
  { from: 'disabled', to: 'canceled', when: 'returns from a call' },
];

const ALLOWED = new Set(STATUS_TRANSITIONS.map(({ from, to }) => `${from} ${to}`));

/** A transition that is in no list is a bug. */
export function assertTransition(from: JobStatus, to: JobStatus): void {
  if (!ALLOWED.has(`${from} ${to}`)) throw new Error(`no job moves from ${from} to ${to}`);
}

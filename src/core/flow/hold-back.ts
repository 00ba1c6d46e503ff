import { type BlockedState, blocked, type ReadyState } from '../job/full-state.ts';
import type { FlowSet } from './flow-part.ts';

/**
 * The state of a job that becomes ready again: with open dependencies it is blocked, not claimable. A dependency can run
 * again after the job has started: a goto inside an item does that to a join, and so does a manual retry. Other waits
 * come first; the dependencies are looked at when they are over. `set` is null for a job that serves a call, which waits
 * for no dependencies.
 */
export function unlessHeldBack(
  to: ReadyState,
  set: Pick<FlowSet, 'remaining'> | null,
): ReadyState | BlockedState {
  const isHeldBack = to.waiting.for === 'worker' && set !== null && set.remaining > 0;
  return isHeldBack ? blocked({ for: 'dependencies' }) : to;
}

/**
 * Moments that are worth a message. `finished` is every end of a run or request; `failed` and `recovered` are ends of
 * one kind, so that a target that asks for several of them still gets one message.
 */
export const EDGES = ['failed', 'waiting', 'held', 'recovered', 'finished'] as const;

export type Edge = (typeof EDGES)[number];

/** Whether a target that asks for these edges is notified of one. */
export function listensTo(wanted: readonly Edge[], edge: Edge): boolean {
  return (
    wanted.includes(edge) || ((edge === 'failed' || edge === 'recovered') && wanted.includes('finished'))
  );
}

/** The edge at the end of a run. `troubled`: a failure or a wait for a decision was the last that was notified before. */
export function edgeOfRunEnd(state: 'completed' | 'failed' | 'canceled', troubled: boolean): Edge {
  if (state === 'failed') return 'failed';
  return state === 'completed' && troubled ? 'recovered' : 'finished';
}

import type { CallState, FlowJob, FlowSet, RouteState } from './flow-part.ts';

/** An event to write about a job. */
export interface FlowEvent {
  job_id: number;
  attempt_id?: number;
  type: 'cancel' | 'cancel_requested' | 'disable' | 'failure' | 'remediation' | 'call';
  actor?: string | null;
  reason: string;
  data?: Record<string, unknown>;
}

/** What is to be written, as data. */
export interface FlowMoves {
  /** Jobs as they are now, each with what it was: a compare-and-set. */
  jobs: { before: FlowJob; after: FlowJob }[];
  sets: FlowSet[];
  /** Sets that are met: jobs that wait for them and were not loaded become ready; those loaded have moved. */
  releases: { set_id: number; after_failure: boolean; loaded: number[] }[];
  /** Sets that are not met any more: jobs that could be claimed wait for them again. */
  blocks: number[];
  calls: { id: number; from: CallState; state: CallState }[];
  routes: { token: number; from: RouteState; state: RouteState }[];
  events: FlowEvent[];
}

import { type AllocationWorker, DEFAULT_ALLOCATION_WORKER } from '../../core/allocation/scheduler.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';

/** Between the signal that jobs are ended with and SIGKILL, where the spec does not say. */
const DEFAULT_LEAD_SECONDS = 10;

/** How the workers of allocations behave: the keys that begin with `compute_node_`, and `sigkill_headroom_seconds`. */
export function allocationWorker(spec: WorkflowSpec): AllocationWorker {
  const defaults = DEFAULT_ALLOCATION_WORKER;
  const { sigkill_headroom_seconds: headroom, sigterm_lead_seconds: lead } = spec.execution_config ?? {};
  const endBefore =
    milliseconds(spec.compute_node_expiration_buffer_seconds) ??
    (headroom === undefined ? undefined : milliseconds(headroom + (lead ?? DEFAULT_LEAD_SECONDS))) ??
    defaults.end_before_ms;
  const takeUntil = milliseconds(spec.compute_node_min_time_for_new_jobs_seconds) ?? defaults.take_until_ms;
  return {
    idle_ms: milliseconds(spec.compute_node_wait_for_new_jobs_seconds) ?? defaults.idle_ms,
    // A job that is taken when jobs are ended already would be ended at once.
    take_until_ms: Math.max(takeUntil, endBefore),
    end_before_ms: endBefore,
    stays: spec.compute_node_ignore_workflow_completion ?? defaults.stays,
  };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

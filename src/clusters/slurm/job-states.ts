import type { AllocationEnd } from '../../contract/cluster.ts';

/** States before the script runs. While nodes are powered up (CONFIGURING) it does not run, either. */
const QUEUED = new Set([
  'PENDING',
  'CONFIGURING',
  'POWER_UP_NODE',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'RESV_DEL_HOLD',
  'SPECIAL_EXIT',
  'EXPEDITING',
]);

const ENDS: Record<string, AllocationEnd> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  LAUNCH_FAILED: 'failed',
  RECONFIG_FAIL: 'failed',
  CANCELLED: 'canceled',
  REVOKED: 'canceled',
  TIMEOUT: 'timeout',
  DEADLINE: 'timeout',
  OUT_OF_MEMORY: 'out_of_memory',
  NODE_FAIL: 'node_fail',
  BOOT_FAIL: 'node_fail',
  PREEMPTED: 'preempted',
};

/** A state that has an end in it; undefined for those that are alive. `CANCELLED by 0` is one, too. */
export function endOfState(state: string): AllocationEnd | undefined {
  return ENDS[state.split(' ', 1)[0]!];
}

/** Whether a listed allocation waits or runs. States that a newer Slurm may have count as running: they are not over. */
export function liveState(state: string): 'queued' | 'running' {
  return QUEUED.has(state) ? 'queued' : 'running';
}

import { proposedKeys, type SchedulerProposal } from '../../core/allocation/propose-schedulers.ts';
import type { AllocationWorker, SchedulerModel } from '../../core/allocation/scheduler.ts';
import { DEFAULT_ALLOCATION_WORKER } from '../../core/allocation/scheduler.ts';
import { formatWalltime } from '../../core/allocation/slurm-quantity.ts';

/** A proposal as a scheduler of a stored workflow. */
export function proposedModel(
  proposal: SchedulerProposal,
  account: string | null,
  worker: AllocationWorker = DEFAULT_ALLOCATION_WORKER,
): SchedulerModel {
  const keys = proposedKeys(proposal, account) as Record<string, string | number>;
  const { partition, nodes, walltime_ms, cpus, memory_bytes, gpus } = proposal;
  return {
    name: proposal.name,
    options: {
      ...(account !== null && { account }),
      partition,
      nodes: String(nodes),
      time: formatWalltime(walltime_ms),
      'ntasks-per-node': String(cpus),
      ...(keys.mem !== undefined && { mem: String(keys.mem) }),
      ...(keys.gres !== undefined && { gres: String(keys.gres) }),
    },
    extra: [],
    nodes,
    walltime_ms,
    cpus,
    memory_bytes,
    gpus,
    serialize: false,
    worker,
  };
}

import type { Requirement } from '../model/workflow-model.ts';
import { formatDuration, formatSize } from '../text/quantity.ts';
import type { SchedulerModel } from './scheduler.ts';

type Needs = Pick<Requirement, 'cpus' | 'memory_bytes' | 'gpus' | 'nodes' | 'runtime_ms'>;

/**
 * Why jobs with this requirement can never run in an allocation of the scheduler, as `has 2 GPUs, and 8 are needed`.
 * null: they can, as far as is known before a worker is there.
 */
export function schedulerMisfit(needs: Needs, scheduler: SchedulerModel): string | null {
  const { nodes, cpus, memory_bytes: memory, gpus, walltime_ms: walltime } = scheduler;
  if (needs.nodes > nodes) return lacks(`${nodes} ${nodes === 1 ? 'node' : 'nodes'}`, needs.nodes);
  if (cpus !== null && (needs.cpus ?? 0) > cpus)
    return lacks(`${cpus} ${cpus === 1 ? 'CPU' : 'CPUs'}`, needs.cpus!);
  if (memory !== null && (needs.memory_bytes ?? 0) > memory)
    return lacks(`${formatSize(memory)} of memory`, formatSize(needs.memory_bytes!));
  if (gpus !== null && needs.gpus > gpus)
    return lacks(gpus === 0 ? 'no GPUs' : `${gpus} ${gpus === 1 ? 'GPU' : 'GPUs'}`, needs.gpus);
  const longest = walltime === null ? null : walltime - scheduler.worker.end_before_ms;
  if (longest !== null && (needs.runtime_ms ?? 0) > longest)
    return `leaves ${formatDuration(Math.max(0, longest))} for a job, and ${formatDuration(needs.runtime_ms!)} are needed`;
  return null;
}

function lacks(has: string, needed: number | string): string {
  return `has ${has}, and ${needed} ${needed === 1 ? 'is' : 'are'} needed`;
}

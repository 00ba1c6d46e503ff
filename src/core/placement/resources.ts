import type { Requirement } from '../model/workflow-model.ts';
import type { ResourceName } from './shortage.ts';

/** What a worker has left of everything that jobs take. */
export interface FreeResources {
  cpus: number;
  memory_bytes: number;
  gpus: number;
  /** How many more jobs it would start. */
  slots: number;
  /** Absent: nodes are not counted, and a job of any `num_nodes` runs on one machine. */
  nodes?: number;
  /** CPUs that a job without a requirement takes. */
  default_cpus: number;
}

export type ResourceNeed = Pick<Requirement, 'cpus' | 'memory_bytes' | 'gpus' | 'nodes'>;

/** No limit that anybody reaches. */
const MANY_SLOTS = 1_000_000;

/** A worker that runs nothing. */
export function freeResources(offer: {
  cpus: number;
  memory_bytes: number;
  gpus: number;
  nodes?: number | null;
  max_parallel: number | null;
}): FreeResources {
  const { cpus, memory_bytes, gpus, nodes, max_parallel: maxParallel } = offer;
  return {
    cpus,
    memory_bytes,
    gpus,
    slots: maxParallel ?? MANY_SLOTS,
    ...(typeof nodes === 'number' && { nodes }),
    // A job without a requirement takes one CPU, or less if more may run in parallel.
    default_cpus: maxParallel !== null && maxParallel > cpus ? cpus / maxParallel : 1,
  };
}

/** How much of the resource one job needs. */
export function neededOf(resource: ResourceName, need: ResourceNeed, defaultCpus: number): number {
  switch (resource) {
    case 'slots':
      return 1;
    case 'cpus':
      return need.cpus ?? defaultCpus;
    case 'memory_bytes':
      return need.memory_bytes ?? 0;
    default:
      return need[resource];
  }
}

export function takeResources(free: FreeResources, need: ResourceNeed, jobs = 1): void {
  free.slots -= jobs;
  free.cpus -= (need.cpus ?? free.default_cpus) * jobs;
  free.memory_bytes -= (need.memory_bytes ?? 0) * jobs;
  free.gpus -= need.gpus * jobs;
  if (free.nodes !== undefined && !sharesNode(need)) free.nodes -= need.nodes * jobs;
}

/** Jobs on one node share it; a job on several nodes has them for itself. */
export function sharesNode({ nodes }: ResourceNeed): boolean {
  return nodes <= 1;
}

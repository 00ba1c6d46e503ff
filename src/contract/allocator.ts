import type { SchedulerModel } from '../core/allocation/scheduler.ts';
import type { AllocationPlan, Cluster } from './cluster.ts';

/** The process that drives allocations: whom it asks, and how it prepares what it asks for. */
export interface Allocator {
  cluster: Cluster;
  /** This process, as no other is called. */
  server: string;
  /** null: all shared workflows with the executor `slurm`; else only this one. */
  workflowId: number | null;
  /** Everything that the cluster is asked for. Writes the files of the allocation; may be called again for the same tag. */
  plan(order: AllocationOrder): Promise<AllocationPlan>;
  /** Last lines of the output of an allocation; '' if there is none. */
  outputOf(tag: string): Promise<string>;
}

export interface AllocationOrder {
  tag: string;
  workflow_id: number;
  scheduler: SchedulerModel;
  one_worker_per_node: boolean;
  /** How many jobs each worker runs at once; null: as many as fit. */
  max_parallel: number | null;
  /** What the cluster calls the allocation that has to end first; null: none. */
  after: string | null;
}

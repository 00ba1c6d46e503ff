/** What a workflow asks a cluster for: one of the `slurm_schedulers` of its spec. */
export interface SchedulerModel {
  name: string;
  /** Long options of `sbatch` without dashes, with their values; null: the option has none. */
  options: Record<string, string | null>;
  /** More options, each as one word, as the user wrote them. */
  extra: string[];
  /** Nodes of one allocation. */
  nodes: number;
  /** How long an allocation may last; null: as long as the partition gives by default. */
  walltime_ms: number | null;
  /** What one node offers, as far as the options say; null: not known before a worker is there. */
  cpus: number | null;
  memory_bytes: number | null;
  gpus: number | null;
  /** The next allocation begins when the one before has ended. */
  serialize: boolean;
  worker: AllocationWorker;
}

/** How the worker of an allocation behaves. */
export interface AllocationWorker {
  /** It leaves when it has had nothing to do for so long. */
  idle_ms: number;
  /** It takes nothing from so long before the end of the allocation. */
  take_until_ms: number;
  /** It ends its jobs so long before the end of the allocation, as timeouts. */
  end_before_ms: number;
  /** It waits for more even if the workflow is complete. */
  stays: boolean;
}

export const DEFAULT_ALLOCATION_WORKER: AllocationWorker = {
  idle_ms: 300_000,
  take_until_ms: 60_000,
  end_before_ms: 30_000,
  stays: false,
};

/** What an action asks for when its moment comes. */
export interface ScheduleOrder {
  /** Name of one of the workflow's schedulers. */
  scheduler: string;
  /** How many allocations. With `automatic`, how many at a time at most. */
  allocations: number;
  /** One worker on each node; otherwise one for all nodes, on the first of them. */
  one_worker_per_node: boolean;
  /** How many jobs each worker runs at once; null: as many as fit. */
  max_parallel: number | null;
  /** Again whenever jobs are ready that no allocation will run; otherwise once in a run. */
  automatic: boolean;
}

/** What jobs take of a worker as long as they run. */
export const RESOURCE_NAMES = ['slots', 'cpus', 'memory_bytes', 'gpus', 'nodes'] as const;
export type ResourceName = (typeof RESOURCE_NAMES)[number];

/** Why a worker cannot take a job now. Amounts that are free are never below 0. */
export type Shortage =
  /** Labels of the job that the worker does not have. */
  | { kind: 'labels'; missing: string[] }
  /** Jobs of the workflow run at other sites only. */
  | { kind: 'site'; site: string; allowed: string[] }
  /** New work is kept away from the site of the worker. */
  | { kind: 'ban'; site: string; reason: string; until_ms: number | null }
  /** The worker ends before the job has to. */
  | { kind: 'time_left'; needed_ms: number; left_ms: number }
  /** The job failed there, and another worker could take it. */
  | { kind: 'avoided_worker'; worker_id: number; until_ms: number }
  | { kind: 'avoided_site'; site: string; until_ms: number }
  /** A named resource of the workflow. */
  | { kind: 'limit'; name: string; needed: number; free: number }
  /** As many jobs of the workflow run as may. */
  | { kind: 'max_parallel'; needed: number; free: number }
  | { kind: 'resource'; resource: ResourceName; needed: number; free: number }
  /** No worker takes jobs. */
  | { kind: 'no_worker' }
  /** DAGMan runs it, not a worker. `cluster_id` null: the run is not submitted yet. */
  | { kind: 'dagman'; cluster_id: string | null; problem: string | null }
  | AllocationShortage;

/** Why no allocation of a cluster brings a worker for a job now. */
export type AllocationShortage =
  /** It waits in the queue of the cluster; `never`: for something that cannot come. */
  | {
      kind: 'allocation_waiting';
      scheduler: string;
      cluster_id: string;
      word: string | null;
      why: string | null;
      never: boolean;
      starts_at_ms: number | null;
    }
  /** It has begun, and its worker has not come yet. */
  | { kind: 'allocation_starting'; scheduler: string; cluster_id: string }
  /** One is ordered, or about to be. */
  | { kind: 'allocation_planned'; scheduler: string }
  | { kind: 'scheduler_paused'; scheduler: string; reason: string }
  /** The cluster refused the last submission. */
  | { kind: 'scheduler_refused'; scheduler: string; reason: string; next_try_at_ms: number }
  /** As many allocations of it are alive as may be. */
  | { kind: 'scheduler_full'; scheduler: string; at_most: number }
  /** No action orders another allocation of it. */
  | { kind: 'scheduler_done'; scheduler: string }
  /** None of the schedulers has so much of it; null: no one thing is short everywhere. */
  | { kind: 'no_scheduler'; lacks: ResourceName | 'runtime_ms' | null; needed: number; most: number }
  | { kind: 'cluster_absent'; problem: string; since_ms: number };

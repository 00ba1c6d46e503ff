/**
 * A batch system that starts workers for us. Its methods reject with the error CLUSTER_REFUSED where it said no, and with
 * CLUSTER_ABSENT where nobody answered, so that nothing is known.
 */
export interface Cluster {
  readonly name: 'slurm';
  /** Asks for an allocation. Returns what the cluster calls it. */
  submit(plan: AllocationPlan): Promise<string>;
  /** One question for all. Those that are not listed have ended, or were never submitted. */
  list(tags: readonly string[]): Promise<AllocationView[]>;
  /** How allocations ended; `unknown` where the cluster has forgotten. */
  ends(ids: readonly string[]): Promise<Map<string, AllocationEnd>>;
  /** Those that have ended, or that it does not know, are no error. */
  cancel(ids: readonly string[]): Promise<void>;
}

export interface AllocationPlan {
  /** Unique for ever: it shows after a crash whether the allocation was submitted. */
  tag: string;
  script: string;
  /** Words of the command line. */
  options: string[];
  /** Where the script runs. */
  directory: string;
  /** Where its output goes. */
  output: string;
  /** What the cluster calls the allocation that has to end first; null: none. */
  after: string | null;
}

/** An allocation that waits or runs. */
export interface AllocationView {
  id: string;
  tag: string;
  state: 'queued' | 'running';
  /** The word that the cluster has for its state, such as PENDING. */
  word: string;
  /** Why it waits, in the cluster's word; null if it does not. */
  why: string | null;
  /** It waits for something that cannot come: nobody else will say so. */
  never: boolean;
  /** When it is expected to begin, or has begun. */
  startsAt: number | null;
  endsAt: number | null;
}

export const ALLOCATION_ENDS = [
  'completed',
  'failed',
  'canceled',
  'timeout',
  'out_of_memory',
  'node_fail',
  'preempted',
  'requeued',
  'unknown',
] as const;
export type AllocationEnd = (typeof ALLOCATION_ENDS)[number];

/** What a worker knows of the allocation that it runs in. */
export interface OwnAllocation {
  cluster: 'slurm';
  id: string;
  /** 0 on the first node. */
  node: number;
  /** What the cluster calls the node; null: not known. */
  nodeName: string | null;
  nodes: number;
  cpus: number;
  /** null: not limited. */
  memoryBytes: number | null;
  gpus: number;
  /** How often it was requeued. */
  restarts: number;
  /** The cluster's own name, as the site of the worker; null: not known. */
  site: string | null;
  /** Between SIGTERM and SIGKILL, as the cluster is configured. */
  readonly killWaitMs: number;
  /** When it will be ended, as the cluster says now; null: not known. */
  endsAt(): Promise<number | null>;
}

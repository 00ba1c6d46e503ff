import { resolve } from 'node:path';
import type { OwnAllocation } from '../contract/cluster.ts';
import type { WorkerIdentity } from '../contract/records/exchange.ts';
import { SERVICE_LEASE_MS } from '../core/worker/lease.ts';
import { ownIdentity } from '../host/process-identity.ts';
import type { AllocationTimes } from './allocation-clock.ts';
import type { RunnerOptions } from './execute/attempt-runner.ts';

export interface ServiceWorkerOptions extends RunnerOptions {
  baseDir: string;
  labels: string[];
  drainTimeoutMs: number;
  /** How long it keeps its jobs without contact (default: 10 min). */
  leaseMs?: number;
  /** How long the server may take to hear the last reports after everything has ended (default: 10 s). */
  lastWordsMs?: number;
  /** What the server is called; a worker resumes only with the one that it worked for. */
  server?: string;
  /** The only workflow that it works for; it leaves when that is complete (default: every shared one). */
  workflowId?: number;
  /** It waits for more when its workflow is complete. */
  stays?: boolean;
  /** It leaves when it has had nothing to do for so long (default: never). */
  idleMs?: number;
  /** With `idleMs`: before it has reached its server, it leaves after so long at the earliest (default: 1 min). */
  reachWithinMs?: number;
  /** It registers at a random time within it, so that many that are started together do not come together (default: at once). */
  startWithinMs?: number;
  /** The allocation of a cluster in which it runs; its jobs die with it. */
  allocation?: AllocationPlace;
  /** Prints what it does, for people. */
  log(line: string): void;
}

/** An allocation, as its worker sees it. */
export interface AllocationPlace
  extends Pick<AllocationTimes, 'takeUntilMs' | 'endBeforeMs' | 'askEveryMs' | 'now'> {
  own: OwnAllocation;
  /** What its server calls it; null: the server did not ask for it. */
  tag: string | null;
  /** Time that jobs have when the allocation is being ended; never more than half of what the cluster gives. */
  graceMs: number;
  /** How long ends are held back, because the end of the allocation may explain them (default: 1 s). */
  holdBackMs?: number;
}

/** What ends an allocation reaches its jobs and its worker within 10 ms, as measured. */
const HOLD_BACK_MS = 1_000;

/** What an allocation adds to how its worker runs jobs. */
export function withAllocation(options: ServiceWorkerOptions): ServiceWorkerOptions {
  const { allocation } = options;
  if (allocation === undefined) return options;
  const { own, holdBackMs = HOLD_BACK_MS } = allocation;
  return { ...options, holdBackMs, nodes: own.nodes, steps: { node: own.nodeName } };
}

/** Who a worker with these options is. */
export function serviceIdentity(options: ServiceWorkerOptions): WorkerIdentity {
  const { site, labels, cpus, memoryBytes, gpus, maxParallel, allocation } = options;
  return ownIdentity({
    ...(site !== undefined && { site }),
    ...(maxParallel !== null && { max_parallel: maxParallel }),
    ...(allocation !== undefined && identityIn(allocation)),
    labels,
    kind: 'service',
    cpus,
    memory_bytes: memoryBytes,
    gpus,
    lease_ms: options.leaseMs ?? SERVICE_LEASE_MS,
    directory: resolve(options.stateDir),
  });
}

function identityIn({ own, tag }: AllocationPlace): Partial<WorkerIdentity> {
  const { id, node, nodes, restarts } = own;
  return { nodes, ...(tag !== null && { allocation: { tag, id, node, restarts } }) };
}

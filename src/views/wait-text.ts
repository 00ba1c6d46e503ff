import type { JobWait } from '../contract/records/records.ts';
import type { AllocationShortage, ResourceName, Shortage } from '../core/placement/shortage.ts';
import { formatDuration, formatSize } from '../core/text/quantity.ts';

type Short<K extends Shortage['kind']> = Extract<Shortage, { kind: K }>;

/** One thing that a ready job waits for, as a sentence. `timeText` writes a time for its reader. */
export function waitText(wait: JobWait, timeText: (ms: number) => string): string {
  const { short } = wait;
  switch (short.kind) {
    case 'no_worker':
      return 'no worker takes jobs';
    case 'dagman': {
      const { cluster_id, problem } = short;
      const state =
        cluster_id === null ? 'the run is about to be submitted to DAGMan' : `DAGMan ${cluster_id} has it`;
      if (problem !== null) return `${state}: ${problem}`;
      return cluster_id === null ? state : `${state}; each attempt is shown when it has ended`;
    }
    case 'labels':
      return `no worker has the ${short.missing.length === 1 ? 'label' : 'labels'} ${list(short.missing)}`;
    case 'site':
      return `runs only at ${list(short.allowed)}, and ${placeText(wait)} is at ${short.site}`;
    case 'ban': {
      const until = short.until_ms === null ? '' : ` until ${timeText(short.until_ms)}`;
      return `site ${short.site} is banned${until}: ${short.reason}`;
    }
    case 'avoided_worker':
      return `waiting for another worker than ${short.worker_id}, where it failed, until ${timeText(short.until_ms)}`;
    case 'avoided_site':
      return `waiting for another site than ${short.site}, where it failed, until ${timeText(short.until_ms)}`;
    case 'time_left':
      return `needs ${formatDuration(short.needed_ms)}: ${placeText(wait)} ends in ${formatDuration(short.left_ms)}`;
    case 'max_parallel':
      return `waiting for one of the ${wait.total} jobs that may run at once${heldText(wait)}`;
    case 'limit':
      return `waiting for ${short.needed} ${short.name}${shareText(short, wait.total)}${heldText(wait)}`;
    case 'resource':
      return resourceText(short, wait);
    default:
      return allocationText(short, timeText);
  }
}

/** Why no allocation brings a worker now. */
function allocationText(short: AllocationShortage, timeText: (ms: number) => string): string {
  switch (short.kind) {
    case 'allocation_waiting':
      return allocationWaitText(short, timeText);
    case 'allocation_starting':
      return `allocation ${short.cluster_id} has begun, and its worker is on its way`;
    case 'allocation_planned':
      return `an allocation of scheduler ${short.scheduler} is about to be submitted`;
    case 'scheduler_paused':
      return `scheduler ${short.scheduler} is paused: ${short.reason}`;
    case 'scheduler_refused':
      return `scheduler ${short.scheduler}: ${short.reason}; next try ${timeText(short.next_try_at_ms)}`;
    case 'scheduler_full':
      return `as many allocations of scheduler ${short.scheduler} as may be (${short.at_most}) are there, and busy`;
    case 'scheduler_done':
      return `no allocation of scheduler ${short.scheduler} is on its way, and no action orders another one`;
    case 'no_scheduler':
      return noSchedulerText(short);
    case 'cluster_absent':
      return `the cluster has not answered since ${timeText(short.since_ms)}: ${short.problem}`;
  }
}

function allocationWaitText(short: Short<'allocation_waiting'>, timeText: (ms: number) => string): string {
  const { cluster_id, word, why, never, starts_at_ms } = short;
  const state = `allocation ${cluster_id} is ${word ?? 'queued'}${why === null ? '' : `: ${why}`}`;
  if (never) return `${state}, which will not pass by itself`;
  return starts_at_ms === null ? state : `${state}, estimated start ${timeText(starts_at_ms)}`;
}

function noSchedulerText({ lacks, needed, most }: Short<'no_scheduler'>): string {
  if (lacks === null) return 'no scheduler of the workflow fits';
  if (lacks === 'runtime_ms') {
    return `no scheduler lasts ${formatDuration(needed)}: at most ${formatDuration(most)}`;
  }
  return `no scheduler has ${amountText(lacks, needed)}: at most ${numberText(lacks, most)}`;
}

function resourceText(short: Short<'resource'>, wait: JobWait): string {
  const { resource, needed, free } = short;
  const place = placeText(wait);
  if (wait.total !== null && needed > wait.total) {
    return `needs ${amountText(resource, needed)}: ${place} has ${numberText(resource, wait.total)}`;
  }
  const share =
    wait.total === null
      ? `${numberText(resource, free)} free`
      : `${numberText(resource, free)} of ${numberText(resource, wait.total)} ${isOne(resource, free) ? 'is' : 'are'} free`;
  return `waiting for ${amountText(resource, needed)}: ${share} on ${place}${heldText(wait)}`;
}

/** Of a limit that is used up, who holds it says enough. */
function shareText({ free }: Short<'limit'>, total: number | null): string {
  return free === 0 ? '' : `: ${free} of ${total} ${free === 1 ? 'is' : 'are'} free`;
}

function heldText({ short, held_by, holders }: JobWait): string {
  if (held_by.length === 0) return '';
  const names = held_by.map(({ name }) => name);
  const more = holders - names.length;
  const holding = `${list(names)}${more > 0 ? ` and ${more} more` : ''}`;
  const isAlone = short.kind === 'max_parallel' || (short.kind === 'limit' && short.free === 0);
  return `${isAlone ? ': ' : '; '}held by ${holding}`;
}

function placeText({ worker }: JobWait): string {
  return worker === null ? 'every worker' : `worker ${worker.id} (${worker.host})`;
}

const UNITS: Record<ResourceName, [string, string]> = {
  slots: ['slot', 'slots'],
  cpus: ['CPU', 'CPUs'],
  memory_bytes: ['of memory', 'of memory'],
  gpus: ['GPU', 'GPUs'],
  nodes: ['node', 'nodes'],
};

function amountText(resource: ResourceName, amount: number): string {
  return `${numberText(resource, amount)} ${UNITS[resource][amount === 1 ? 0 : 1]}`;
}

function numberText(resource: ResourceName, amount: number): string {
  return resource === 'memory_bytes' ? formatSize(amount) : String(Math.round(amount * 100) / 100);
}

function isOne(resource: ResourceName, amount: number): boolean {
  return resource === 'memory_bytes' || amount === 1;
}

function list(names: readonly string[]): string {
  return names.join(', ');
}

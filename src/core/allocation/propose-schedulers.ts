import type { Requirement } from '../model/workflow-model.ts';
import { formatDuration, formatSize } from '../text/quantity.ts';
import type { NodeOfferKind, PartitionOffer } from './partition.ts';
import { DEFAULT_ALLOCATION_WORKER } from './scheduler.ts';
import { formatSlurmMemory, formatWalltime } from './slurm-quantity.ts';

export type JobNeeds = Pick<Requirement, 'name' | 'cpus' | 'memory_bytes' | 'gpus' | 'nodes' | 'runtime_ms'>;

/** Jobs that need the same. */
export interface JobGroup {
  needs: JobNeeds;
  /** How many. */
  jobs: number;
  /** Names as written in the spec, or of single jobs. */
  names: string[];
  /** The only scheduler in whose allocations they run (default: any). */
  bound?: string | undefined;
  /** How many of them say nothing of what they need. */
  silent?: number;
}

/** A scheduler that would run a group of jobs, and why it is as it is. */
export interface SchedulerProposal {
  name: string;
  partition: string;
  nodes: number;
  walltime_ms: number;
  /** Per node. */
  cpus: number;
  memory_bytes: number | null;
  gpus: number;
  /** Jobs that run side by side in one allocation. */
  side_by_side: number;
  /** Allocations at the same time. */
  allocations: number;
  group: JobGroup;
  /** One line for each choice. */
  because: string[];
}

export interface ProposalRules {
  partitions: readonly PartitionOffer[];
  /** The only one to use; null: the one that fits best. */
  partition: string | null;
  /** Names that are taken. */
  taken: Iterable<string>;
}

/** A job may take longer than it says, and a worker needs time to start and to end. */
const MARGIN = 1.5;
const ROUND_MS = 5 * 60_000;
/** For jobs that do not say how long they take, where the partition has no shorter limit. */
const UNKNOWN_RUNTIME_MS = 24 * 3_600_000;
const MOST_ALLOCATIONS = 100;

/** Groups with the same needs are one. Labels and named resources are not about what a node has. */
export function groupJobs(groups: Iterable<JobGroup>): JobGroup[] {
  const merged = new Map<string, JobGroup>();
  for (const { needs, jobs, names, bound } of groups) {
    const { cpus, memory_bytes, gpus, nodes, runtime_ms } = needs;
    const key = JSON.stringify([cpus, memory_bytes, gpus, nodes, runtime_ms, bound]);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, { needs, jobs, names: [...new Set(names)], bound });
    else {
      known.jobs += jobs;
      known.names = [...new Set([...known.names, ...names])];
    }
  }
  return withoutSilent([...merged.values()]);
}

/** Jobs that say nothing of what they need run in the allocations of the largest group that needs one node. */
function withoutSilent(groups: JobGroup[]): JobGroup[] {
  const silent = groups.find(({ needs, bound }) => saysNothing(needs) && bound === undefined);
  const others = groups.filter((group) => group !== silent);
  const host = others
    .filter(({ needs, bound }) => needs.nodes === 1 && bound === undefined)
    .sort((a, b) => a.needs.gpus - b.needs.gpus || b.jobs - a.jobs)[0];
  if (silent === undefined || host === undefined) return groups;
  return others.map((group) =>
    group === host
      ? {
          ...host,
          jobs: host.jobs + silent.jobs,
          names: [...host.names, ...silent.names],
          silent: silent.jobs,
        }
      : group,
  );
}

function saysNothing({ cpus, memory_bytes, gpus, nodes, runtime_ms }: JobNeeds): boolean {
  return cpus === null && memory_bytes === null && gpus === 0 && nodes === 1 && runtime_ms === null;
}

/** One scheduler for each group; a group that fits no partition is reported as a problem. */
export function proposeSchedulers(
  groups: readonly JobGroup[],
  rules: ProposalRules,
): { proposals: SchedulerProposal[]; problems: string[] } {
  const taken = new Set(rules.taken);
  const proposals: SchedulerProposal[] = [];
  const problems: string[] = [];
  for (const group of groups) {
    const place = bestPlace(group.needs, rules);
    if (place === null) {
      problems.push(`no partition fits ${needsText(group)}${reasonOf(group.needs, rules)}`);
      continue;
    }
    const name = freeName(nameOf(group.needs), taken);
    taken.add(name);
    proposals.push(propose(name, group, place));
  }
  return { proposals, problems };
}

interface FoundPlace {
  partition: PartitionOffer;
  kind: NodeOfferKind;
}

/** Nodes with GPUs are left to those who need them; then the default partition, then the smallest node that fits. */
function bestPlace(needs: JobNeeds, { partitions, partition: only }: ProposalRules): FoundPlace | null {
  const places = partitions
    .filter(({ name }) => only === null || name === only)
    .flatMap((partition) => partition.kinds.map((kind) => ({ partition, kind })))
    .filter((place) => fits(needs, place));
  const rank = ({ partition, kind }: FoundPlace) => [
    needs.gpus === 0 && kind.gpus > 0 ? 1 : 0,
    partition.is_default ? 0 : 1,
    kind.gpus,
    kind.cpus,
    kind.memory_bytes,
    partition.max_ms ?? Number.MAX_SAFE_INTEGER,
  ];
  return places.sort((a, b) => compare(rank(a), rank(b)))[0] ?? null;
}

function fits(needs: JobNeeds, { partition, kind }: FoundPlace): boolean {
  return (
    needs.nodes <= kind.nodes &&
    (needs.cpus ?? 1) <= kind.cpus &&
    (needs.memory_bytes ?? 0) <= kind.memory_bytes &&
    needs.gpus <= kind.gpus &&
    (partition.max_ms === null ||
      (needs.runtime_ms ?? 0) + DEFAULT_ALLOCATION_WORKER.end_before_ms <= partition.max_ms)
  );
}

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

function propose(name: string, group: JobGroup, { partition, kind }: FoundPlace): SchedulerProposal {
  const { needs, jobs } = group;
  const cpus = needs.cpus ?? 1;
  const limits = [
    Math.floor(kind.cpus / cpus),
    needs.memory_bytes ? Math.floor(kind.memory_bytes / needs.memory_bytes) : jobs,
    needs.gpus > 0 ? Math.floor(kind.gpus / needs.gpus) : jobs,
  ];
  const sideBySide = needs.nodes > 1 ? 1 : Math.max(1, Math.min(jobs, ...limits));
  const most = Math.max(1, Math.floor(kind.nodes / needs.nodes));
  const allocations = Math.min(Math.ceil(jobs / sideBySide), most, MOST_ALLOCATIONS);
  const walltime_ms = walltimeOf(needs.runtime_ms, partition.max_ms);
  return {
    name,
    partition: partition.name,
    nodes: needs.nodes,
    walltime_ms,
    cpus: Math.max(1, Math.ceil(cpus * sideBySide)),
    memory_bytes: needs.memory_bytes === null ? null : needs.memory_bytes * sideBySide,
    gpus: needs.gpus * sideBySide,
    side_by_side: sideBySide,
    allocations,
    group,
    because: [
      needsText(group),
      `partition ${partition.name}: nodes with ${kind.cpus} CPUs, ${formatSize(kind.memory_bytes)}${kind.gpus > 0 ? `, ${kind.gpus} GPUs` : ''}`,
      needs.runtime_ms === null
        ? `walltime ${formatWalltime(walltime_ms)}: the jobs do not say how long they take (\`runtime\`)`
        : `walltime ${formatWalltime(walltime_ms)}: ${MARGIN} times the longest runtime, ${formatDuration(needs.runtime_ms)}${walltime_ms === partition.max_ms ? ', at most that of the partition' : ''}`,
      `${allocations} ${allocations === 1 ? 'allocation' : 'allocations'} at a time: ${sideBySide} of ${jobs} ${jobs === 1 ? 'job' : 'jobs'} side by side in each${allocations === most && allocations * sideBySide < jobs ? `, and ${most} have room` : ''}`,
    ],
  };
}

function walltimeOf(runtimeMs: number | null, maxMs: number | null): number {
  const least = DEFAULT_ALLOCATION_WORKER.take_until_ms;
  const wanted =
    runtimeMs === null ? UNKNOWN_RUNTIME_MS : Math.ceil((runtimeMs * MARGIN + least) / ROUND_MS) * ROUND_MS;
  return maxMs === null ? wanted : Math.min(wanted, maxMs);
}

function nameOf({ name, cpus, gpus, nodes }: JobNeeds): string {
  const own = name?.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '');
  if (own) return own;
  if (nodes > 1) return `nodes-${nodes}`;
  return gpus > 0 ? `gpu-${gpus}` : `cpu-${Math.ceil(cpus ?? 1)}`;
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(name)) return name;
  }
}

/** `12 jobs that need 4 CPUs, 8g, 1 GPU, 2 nodes, 1h00m`. */
function needsText({ needs, jobs, silent = 0 }: Pick<JobGroup, 'needs' | 'jobs' | 'silent'>): string {
  const parts = [
    `${needs.cpus ?? 1} ${(needs.cpus ?? 1) === 1 ? 'CPU' : 'CPUs'}`,
    needs.memory_bytes === null ? null : formatSize(needs.memory_bytes),
    needs.gpus === 0 ? null : `${needs.gpus} ${needs.gpus === 1 ? 'GPU' : 'GPUs'}`,
    needs.nodes === 1 ? null : `${needs.nodes} nodes`,
    needs.runtime_ms === null ? null : formatDuration(needs.runtime_ms),
  ].filter((part) => part !== null);
  const counted = jobs - silent;
  const more = silent === 0 ? '' : ` (and ${silent} that ${silent === 1 ? 'does' : 'do'} not say)`;
  return `${counted} ${counted === 1 ? 'job that needs' : 'jobs that need'} ${parts.join(', ')}${more}`;
}

function reasonOf(needs: JobNeeds, { partitions, partition: only }: ProposalRules): string {
  const asked = partitions.filter(({ name }) => only === null || name === only);
  const kinds = asked.flatMap((partition) => partition.kinds.map((kind) => ({ partition, kind })));
  if (kinds.length === 0) return only === null ? '' : `: there is no partition ${only}`;
  const most = (value: (place: FoundPlace) => number) => Math.max(...kinds.map(value));
  const offers: [boolean, string][] = [
    [most(({ kind }) => kind.gpus) < needs.gpus, `${most(({ kind }) => kind.gpus)} GPUs`],
    [most(({ kind }) => kind.cpus) < (needs.cpus ?? 1), `${most(({ kind }) => kind.cpus)} CPUs`],
    [
      most(({ kind }) => kind.memory_bytes) < (needs.memory_bytes ?? 0),
      formatSize(most(({ kind }) => kind.memory_bytes)),
    ],
    [most(({ kind }) => kind.nodes) < needs.nodes, `${most(({ kind }) => kind.nodes)} nodes`],
  ];
  const short = offers.filter(([isShort]) => isShort).map(([, offer]) => offer);
  return short.length === 0
    ? ': none has all of it at once, or allows the time'
    : `: there are at most ${short.join(' and ')}`;
}

/** The keys of `slurm_schedulers` that say the same. */
export function proposedKeys(proposal: SchedulerProposal, account: string | null): Record<string, unknown> {
  const { name, partition, nodes, walltime_ms, cpus, memory_bytes, gpus } = proposal;
  return {
    name,
    ...(account !== null && { account }),
    partition,
    nodes,
    walltime: formatWalltime(walltime_ms),
    ntasks_per_node: cpus,
    ...(memory_bytes !== null && { mem: formatSlurmMemory(memory_bytes) }),
    ...(gpus > 0 && { gres: `gpu:${gpus}` }),
  };
}

import { oddAnswer } from './slurm-messages.ts';
import { parseSlurmDuration } from './slurm-time.ts';

/** A partition of the cluster, as `sinfo` describes it. */
export interface SlurmPartition {
  name: string;
  isDefault: boolean;
  /** It takes and starts jobs. */
  isUp: boolean;
  /** null: no limit. */
  maxMs: number | null;
  /** What a job without a time gets; null: as much as `maxMs`. */
  defaultMs: number | null;
  kinds: NodeKind[];
}

/** Nodes of a partition that are alike. */
export interface NodeKind {
  nodes: number;
  /** How many of them are neither down nor drained. */
  usable: number;
  cpus: number;
  memoryBytes: number;
  gpus: number;
  /** As Slurm has it, such as `gpu:a100:4`; null: none. */
  gres: string | null;
}

/** Name, up, time limit, default time, nodes, processors, memory in MB, state, generic resources. */
export const PARTITION_FORMAT = '%P|%a|%l|%L|%D|%c|%m|%T|%G';
const LINE = /^([^|]+?)(\*?)\|(\w+)\|([^|]+)\|([^|]+)\|(\d+)\|(\d+)\+?\|(\d+)\+?\|([^|]+)\|(.*)$/;
const USABLE = /^(?:idle|mixed|allocated|completing|reserved|planned|powered_down|powering)/;

export function readPartitions(stdout: string): SlurmPartition[] {
  const partitions = new Map<string, SlurmPartition>();
  for (const line of stdout.split('\n').filter((text) => text.trim() !== '')) {
    const match = LINE.exec(line.trim());
    if (match === null) throw oddAnswer('sinfo', line);
    const [name, star, up, most, usual, nodes, cpus, megabytes, state, gres] = match.slice(1) as string[];
    const maxMs = parseSlurmDuration(most!);
    const defaultMs = parseSlurmDuration(usual!);
    if (maxMs === undefined || defaultMs === undefined) throw oddAnswer('sinfo', line);
    const partition = partitions.get(name!) ?? {
      name: name!,
      isDefault: star === '*',
      isUp: up === 'up',
      maxMs,
      defaultMs,
      kinds: [],
    };
    partitions.set(name!, partition);
    addNodes(partition.kinds, {
      nodes: Number(nodes),
      usable: USABLE.test(state!) ? Number(nodes) : 0,
      cpus: Number(cpus),
      memoryBytes: Number(megabytes) * 1024 ** 2,
      ...generic(gres!),
    });
  }
  return [...partitions.values()];
}

/** Nodes that differ in their state only are one kind. */
function addNodes(kinds: NodeKind[], more: NodeKind): void {
  const same = kinds.find(
    (kind) => kind.cpus === more.cpus && kind.memoryBytes === more.memoryBytes && kind.gres === more.gres,
  );
  if (same === undefined) kinds.push(more);
  else Object.assign(same, { nodes: same.nodes + more.nodes, usable: same.usable + more.usable });
}

/** `gpu:a100:4(S:0-1),gpu:2,nvme:1` has six. */
function generic(text: string): Pick<NodeKind, 'gpus' | 'gres'> {
  if (text === '(null)' || text === '') return { gpus: 0, gres: null };
  let gpus = 0;
  for (const [, count] of text.matchAll(/(?:^|,)gpu(?::[^:,(]+)*?:(\d+)(?=[,(]|$)/g)) gpus += Number(count);
  return { gpus, gres: text };
}

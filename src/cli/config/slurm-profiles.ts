import type { PartitionOffer } from '../../core/allocation/partition.ts';
import { parseWalltime } from '../../core/allocation/slurm-quantity.ts';
import { formatDuration, formatSize, parseSize } from '../../core/text/quantity.ts';

const KEYS = ['nodes', 'cpus', 'memory', 'gpus', 'max_walltime', 'default'] as const;

/** `{gpu: {nodes: 4, cpus: 64, memory: 250g, gpus: 4, max_walltime: 1-00:00:00}}`, from YAML or as JSON, by partition. */
export function parseSlurmProfiles(raw: unknown): { value: PartitionOffer[] } | { problem: string } {
  const partitions = typeof raw === 'string' ? parseJson(raw) : raw;
  if (!isObject(partitions)) return { problem: 'must be partitions with what their nodes have' };
  const value: PartitionOffer[] = [];
  for (const [name, written] of Object.entries(partitions)) {
    const offer = isObject(written) ? readProfile(name, written) : 'must be what its nodes have';
    if (typeof offer === 'string') return { problem: `${name}: ${offer}` };
    value.push(offer);
  }
  return { value };
}

export function showSlurmProfiles(profiles: readonly PartitionOffer[]): string {
  if (profiles.length === 0) return 'none';
  return profiles
    .map(({ name, max_ms, kinds: [kind] }) => {
      const { nodes, cpus, memory_bytes, gpus } = kind!;
      const time = max_ms === null ? '' : `, ${formatDuration(max_ms)}`;
      return `${name}: ${nodes} nodes with ${cpus} CPUs, ${formatSize(memory_bytes)}${gpus > 0 ? `, ${gpus} GPUs` : ''}${time}`;
    })
    .join('; ');
}

/** The partition, or what is wrong. */
function readProfile(name: string, written: Record<string, unknown>): PartitionOffer | string {
  const unknown = Object.keys(written).find((key) => !KEYS.some((each) => each === key));
  if (unknown !== undefined) return `must have ${KEYS.join(', ')}, not ${unknown}`;
  const { nodes, cpus, memory, gpus = 0, max_walltime: walltime, default: isDefault = false } = written;
  if (!isCount(nodes, 1)) return 'nodes must be a whole number of at least 1';
  if (!isCount(cpus, 1)) return 'cpus of a node must be a whole number of at least 1';
  const bytes = typeof memory === 'string' || typeof memory === 'number' ? parseSize(memory) : undefined;
  if (!bytes) return 'memory of a node must be a size like 250g';
  if (!isCount(gpus, 0)) return 'gpus of a node must be a whole number of at least 0';
  if (typeof isDefault !== 'boolean') return 'default must be true or false';
  const isTime = typeof walltime === 'string' || typeof walltime === 'number';
  const maxMs = walltime === undefined ? null : isTime ? parseWalltime(walltime) : undefined;
  if (maxMs === undefined || maxMs === 0) return 'max_walltime must be a time limit like 1-00:00:00 or 24h';
  return { name, is_default: isDefault, max_ms: maxMs, kinds: [{ nodes, cpus, memory_bytes: bytes, gpus }] };
}

function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

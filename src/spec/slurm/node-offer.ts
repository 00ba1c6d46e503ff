import { gpuCount, gpusOfGres, parseSlurmMemory } from '../../core/allocation/slurm-quantity.ts';

/** What one node of an allocation offers, as far as the options of `sbatch` say; null: not known. */
export interface NodeOffer {
  cpus: number | null;
  memory_bytes: number | null;
  gpus: number | null;
}

/** `options` by long name, with their values. */
export function nodeOffer(options: ReadonlyMap<string, string | null>, nodes: number): NodeOffer {
  const isWhole = options.has('exclusive');
  const cpus = isWhole ? null : cpusPerNode(options, nodes);
  const asked = gpusPerNode(options, nodes);
  const gpus = asked === undefined ? (isWhole ? null : 0) : asked;
  return { cpus, memory_bytes: memoryPerNode(options, cpus, gpus), gpus };
}

function wholeNumber(text: string | null | undefined): number | null {
  return text != null && /^\d+$/.test(text) && Number(text) > 0 ? Number(text) : null;
}

function cpusPerNode(options: ReadonlyMap<string, string | null>, nodes: number): number | null {
  const perTask = wholeNumber(options.get('cpus-per-task'));
  const tasks = wholeNumber(options.get('ntasks-per-node'));
  const all = wholeNumber(options.get('ntasks'));
  const perNode = tasks ?? (all !== null && nodes === 1 ? all : null);
  if (perTask === null && perNode === null) return null;
  return (perTask ?? 1) * (perNode ?? 1);
}

/** undefined: no option is about GPUs. */
function gpusPerNode(options: ReadonlyMap<string, string | null>, nodes: number): number | null | undefined {
  const gres = options.get('gres');
  const perNode = options.get('gpus-per-node');
  const all = options.get('gpus');
  if (perNode != null) return gpuCount(perNode) ?? null;
  if (all != null) return nodes === 1 ? (gpuCount(all) ?? null) : null;
  if (['gpus-per-task', 'gpus-per-socket', 'tres-per-node'].some((name) => options.has(name))) return null;
  return gres == null ? undefined : (gpusOfGres(gres) ?? null);
}

/** `mem: 0` is all memory of the node, whatever that is. */
function memoryPerNode(
  options: ReadonlyMap<string, string | null>,
  cpus: number | null,
  gpus: number | null,
): number | null {
  const bytes = (name: string): number | null => {
    const written = options.get(name);
    return (written == null ? null : parseSlurmMemory(written)) || null;
  };
  const node = bytes('mem');
  if (node !== null || options.has('mem')) return node;
  const perCpu = bytes('mem-per-cpu');
  if (perCpu !== null) return cpus === null ? null : perCpu * cpus;
  const perGpu = bytes('mem-per-gpu');
  return perGpu === null || gpus === null ? null : perGpu * gpus;
}

import { SlurmCluster } from '../../clusters/slurm/slurm-cluster.ts';
import type { PartitionOffer } from '../../core/allocation/partition.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext } from '../command-context.ts';

/** The partitions that the configuration describes, or else those that `sinfo` lists and that are up. */
export async function partitionOffers({
  settings,
}: Pick<CommandContext, 'settings'>): Promise<{ partitions: PartitionOffer[]; source: string }> {
  if (settings.slurm_profiles.length > 0) {
    return { partitions: settings.slurm_profiles, source: 'the setting slurm_profiles' };
  }
  const partitions = await askCluster();
  const up = partitions.filter(({ isUp }) => isUp);
  return {
    partitions: up.map(({ name, isDefault, maxMs, kinds }) => ({
      name,
      is_default: isDefault,
      max_ms: maxMs,
      kinds: kinds.map(({ nodes, cpus, memoryBytes, gpus }) => ({
        nodes,
        cpus,
        memory_bytes: memoryBytes,
        gpus,
      })),
    })),
    source: 'sinfo',
  };
}

async function askCluster() {
  try {
    return await new SlurmCluster().partitions();
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'CLUSTER_ABSENT') throw error;
    throw new HoldfastError(
      'INVALID_ARGUMENT',
      {
        argument: 'slurm',
        problem: `${error.message}; run it on a login node, or describe the partitions with the setting slurm_profiles`,
      },
      error,
    );
  }
}

import { tmpdir } from 'node:os';
import useTemporaryDirectories from '../temporary-directory.ts';
import { removeLeftPools } from './condor-world.ts';
import { removeLeftClusters } from './slurm-world.ts';

/** Ends what an earlier run has left. Clusters are beside the directory of the tests: it is removed while they end. */
export default async function prepareClusters(): Promise<() => void> {
  process.env.HF_CLUSTERS = tmpdir();
  await removeLeftClusters();
  await removeLeftPools();
  return useTemporaryDirectories();
}

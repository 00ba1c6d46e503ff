import { join } from 'node:path';
import { SlurmCluster } from '../../clusters/slurm/slurm-cluster.ts';
import type { Allocator } from '../../contract/allocator.ts';
import type { ServedEngine } from '../../contract/engine.ts';
import { isOnPath } from '../../host/is-on-path.ts';
import type { AuthMode } from '../../server/auth/check-listen.ts';
import type { CommandContext } from '../command-context.ts';
import { createAllocator } from './create-allocator.ts';
import { sharedDirectory, slurmDirectory, workerUrl } from './reach-server.ts';
import { workerTokenFile } from './worker-token.ts';

/** What a server asks for allocations with; null where there is no Slurm. */
export async function clusterAllocator(
  context: CommandContext,
  engine: ServedEngine,
  { host, auth }: { host: string; auth: AuthMode },
): Promise<((url: string) => Allocator) | null> {
  if (!isOnPath('sbatch')) return null;
  const stateDir = await sharedDirectory(context, engine);
  return (url) =>
    createAllocator(new SlurmCluster(), context, null, {
      url: context.settings.worker_url ?? workerUrl(url, host),
      stateDir,
      tokenFile: async () =>
        auth === 'none' ? null : workerTokenFile(engine, join(slurmDirectory(stateDir), 'token')),
    });
}

import { SlurmCluster } from '../../clusters/slurm/slurm-cluster.ts';
import { HoldfastError } from '../../core/errors.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import { networkKind } from '../../engine/open-engine.ts';
import { isOnPath } from '../../host/is-on-path.ts';
import type { Check } from '../texts/lists/checks.ts';
import { askCheck, okCheck } from './ask-check.ts';
import { nearestExisting } from './check-machine.ts';
import { type MachineFacts, THIS_MACHINE } from './machine-facts.ts';

const LARGEST_SKEW_MS = 60_000;
const LIMIT_MS = 20_000;
const HINT = 'allocations wait until it answers; `scontrol ping` and `sinfo` show more';

/** Slurm, where its commands are here. A machine without it is fine. */
export async function checkSlurm(directory: string): Promise<Check[]> {
  if (!isOnPath('sbatch')) return [okCheck('slurm', 'not found: no sbatch on PATH')];
  const cluster = new SlurmCluster({ limitMs: LIMIT_MS });
  const version = await askCheck('slurm', HINT, () => cluster.version());
  const controller = await askCheck('slurm controller', HINT, async () => {
    const [hosts, name] = [await cluster.ping(), await cluster.clusterName()];
    return `${hosts.join(', ')} of cluster ${name ?? 'without a name'}`;
  });
  const clock = controller.result === 'ok' ? [await checkClusterClock(cluster)] : [];
  return [version, controller, ...clock, checkSlurmFiles(directory)];
}

/** Ends of allocations are compared with the clock here. An allocation that could start at once would start now. */
async function checkClusterClock(cluster: SlurmCluster): Promise<Check> {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    const asked = Date.now();
    const skew = (await cluster.time()) - asked;
    const detail = `${zone}, the controller is ${formatDuration(Math.abs(skew))} ${skew < 0 ? 'behind' : 'ahead'}`;
    return Math.abs(skew) > LARGEST_SKEW_MS
      ? {
          name: 'slurm clock',
          result: 'warn',
          detail,
          hint: 'set the clocks, e.g. with NTP: workers end jobs by it',
        }
      : okCheck('slurm clock', detail);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return okCheck('slurm clock', `${zone}; the controller's time is not known`);
  }
}

/**
 * Nodes have to see the scripts, the output and the state of allocations: here a network file system is what is needed,
 * while the database of the state directory must not be on one.
 */
export function checkSlurmFiles(directory: string, machine: MachineFacts = THIS_MACHINE): Check {
  const warn = (detail: string, hint: string): Check => ({
    name: 'slurm files',
    result: 'warn',
    detail,
    hint,
  });
  const place = nearestExisting(directory);
  const kind = networkKind(machine.fileSystem(place).type);
  if (kind === undefined) {
    return warn(
      `${directory} seems to be on a local disk`,
      'name a directory that all nodes see with the setting slurm_dir, unless this machine is the only node',
    );
  }
  if (!machine.canWrite(place)) {
    return warn(
      `${place} is not writable`,
      'change its permissions, or name another with the setting slurm_dir',
    );
  }
  return okCheck('slurm files', `${directory} is on ${kind}`);
}

import { parseSlurmTime } from './slurm-time.ts';

/** Where and when an allocation would start if it were submitted now, and nothing ended early. */
export interface StartEstimate {
  startsAt: number;
  processors: number;
  /** As Slurm writes them: `n[1-2]`. */
  nodes: string;
  partition: string | null;
}

const WOULD_START =
  /Job \d+ to start at (\S+) using (\d+) processors on (?:nodes )?(\S+)(?: in partition (\S+))?/;

/** undefined: `sbatch --test-only` said something else. */
export function readEstimate(stderr: string): StartEstimate | undefined {
  const [, time, processors, nodes, partition] = WOULD_START.exec(stderr) ?? [];
  const startsAt = time === undefined ? undefined : parseSlurmTime(time);
  if (startsAt === undefined || startsAt === null) return undefined;
  return { startsAt, processors: Number(processors), nodes: nodes!, partition: partition ?? null };
}

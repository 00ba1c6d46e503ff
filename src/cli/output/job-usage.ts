import type { Utilization } from '../../core/resolution.ts';

/** Above this share of what it asked for a job is close to its end; below the other it asks for much more than it uses. */
const HIGH = 0.9;
const LOW = 0.2;

type Measure = 'memory' | 'runtime' | 'cpus';

/** What a job asked for against what it used; a share is null where either is not known. */
export interface JobUsage extends Utilization {
  memory_share: number | null;
  runtime_share: number | null;
  cpus_share: number | null;
  /** `memory_high`, `cpus_low`: what is above 90 % and below 20 %. */
  marks: `${Measure}_${'high' | 'low'}`[];
}

export function jobUsage(used: Utilization): JobUsage {
  const shares: Record<Measure, number | null> = {
    memory: share(used.peak_rss_bytes, used.memory_requested_bytes),
    runtime: share(used.ran_ms, used.runtime_limit_ms),
    cpus: share(used.cpus_used, used.cpus_requested),
  };
  return {
    ...used,
    memory_share: shares.memory,
    runtime_share: shares.runtime,
    cpus_share: shares.cpus,
    marks: (Object.keys(shares) as Measure[]).flatMap((measure) => markOf(measure, shares[measure])),
  };
}

function share(used: number | null, requested: number | null): number | null {
  return used === null || !requested ? null : used / requested;
}

function markOf(measure: Measure, value: number | null): JobUsage['marks'] {
  if (value === null) return [];
  if (value > HIGH) return [`${measure}_high`];
  return value < LOW ? [`${measure}_low`] : [];
}

import type { Utilization } from '../contract/records/resolution.ts';
import type { UsageSample } from '../core/job/usage-samples.ts';

/** Above this share of what it asked for a job is close to its end; below the other it asks for much more than it uses. */
const HIGH = 0.9;
const LOW = 0.2;

type Measure = 'memory' | 'runtime' | 'cpus';

/** What a job asked for against what it used; a share is null where either is not known. */
export interface JobUsage extends Utilization {
  memory_share: number | null;
  runtime_share: number | null;
  cpus_share: number | null;
  /** Of the newest attempt, oldest first; empty where none are kept. */
  samples: UsageSample[];
  /** `memory_high`, `cpus_low`: what is above 90 % and below 20 %. */
  marks: `${Measure}_${'high' | 'low'}`[];
}

export function jobUsage(used: Utilization, samples: UsageSample[] = []): JobUsage {
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
    samples,
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

/** Processor time over elapsed time, from each sample to the next; the first counts from the start. */
export function cpusOverTime(samples: readonly UsageSample[]): number[] {
  return samples.map(({ at_ms, cpu_ms }, index) => {
    const before = samples[index - 1] ?? { at_ms: 0, cpu_ms: 0 };
    const elapsed = at_ms - before.at_ms;
    // Processes that ended take their time with them.
    return elapsed > 0 ? Math.max(0, cpu_ms - before.cpu_ms) / elapsed : 0;
  });
}

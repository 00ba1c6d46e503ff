import type { Utilization } from '../../contract/records/resolution.ts';
import { namePattern } from '../../core/text/name-pattern.ts';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import { type JobUsage, jobUsage } from '../job-usage.ts';

type Mark = JobUsage['marks'][number];
type Measure = 'memory' | 'runtime' | 'cpus';

/** Jobs whose names differ in numbers only: what they asked for, and the most that one of them used. */
export interface UsageGroup {
  pattern: string;
  jobs: number;
  memory_requested_bytes: number | null;
  peak_rss_bytes: number | null;
  runtime_limit_ms: number | null;
  ran_ms: number | null;
  cpus_requested: number | null;
  cpus_used: number | null;
  /** Of how many jobs both what they asked for and what they used is known. */
  measured: Record<Measure, number>;
  /** How many of the jobs have each mark. */
  marks: Partial<Record<Mark, number>>;
}

/** More kinds of jobs than this are added up as one. */
const MOST_GROUPS = 50;
const OTHERS = 'other jobs';

/** Adds up what jobs asked for and used, one job after the other. */
export class UsageSums {
  readonly #groups = new Map<string, UsageGroup>();

  add(used: Utilization): void {
    const { marks, memory_share, runtime_share, cpus_share } = jobUsage(used);
    const group = this.#groupOf(namePattern(used.name));
    group.jobs += 1;
    group.memory_requested_bytes = most(group.memory_requested_bytes, used.memory_requested_bytes);
    group.peak_rss_bytes = most(group.peak_rss_bytes, used.peak_rss_bytes);
    group.runtime_limit_ms = most(group.runtime_limit_ms, used.runtime_limit_ms);
    group.ran_ms = most(group.ran_ms, used.ran_ms);
    group.cpus_requested = most(group.cpus_requested, used.cpus_requested);
    group.cpus_used = most(group.cpus_used, used.cpus_used);
    if (memory_share !== null) group.measured.memory += 1;
    if (runtime_share !== null) group.measured.runtime += 1;
    if (cpus_share !== null) group.measured.cpus += 1;
    for (const mark of marks) group.marks[mark] = (group.marks[mark] ?? 0) + 1;
  }

  /** Those with most jobs first. */
  get groups(): UsageGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.jobs - a.jobs);
  }

  #groupOf(pattern: string): UsageGroup {
    const key = this.#groups.has(pattern) || this.#groups.size < MOST_GROUPS ? pattern : OTHERS;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group: UsageGroup = {
      pattern: key,
      jobs: 0,
      memory_requested_bytes: null,
      peak_rss_bytes: null,
      runtime_limit_ms: null,
      ran_ms: null,
      cpus_requested: null,
      cpus_used: null,
      measured: { memory: 0, runtime: 0, cpus: 0 },
      marks: {},
    };
    this.#groups.set(key, group);
    return group;
  }
}

function most(before: number | null, value: number | null): number | null {
  return before === null ? value : value === null ? before : Math.max(before, value);
}

/** What is added to the most that was used, so that the next run has room. */
const HEADROOM = 1.25;

/** What to ask for instead, as sentences; empty: what was asked for fits. */
export function usageAdvice(group: UsageGroup): string[] {
  const { marks, measured, jobs, peak_rss_bytes, ran_ms, cpus_requested, cpus_used } = group;
  const memory = peak_rss_bytes === null ? null : formatSize(peak_rss_bytes * HEADROOM);
  const time = ran_ms === null ? null : formatDuration(ran_ms * HEADROOM);
  const cpus = cpus_used === null ? null : Math.max(1, Math.ceil(cpus_used));
  const of = (mark: Mark) =>
    jobs === 1 ? '' : `${marks[mark] === jobs ? `all ${jobs}` : `${marks[mark]} of ${jobs}`} jobs: `;
  const advice: string[] = [];
  const say = (mark: Mark, text: string) => advice.push(`${of(mark)}${text}`);
  // Less is advised only where it is enough for every job of the group that was measured.
  const isAlwaysLow = (measure: Measure) =>
    measured[measure] > 0 && marks[`${measure}_low`] === measured[measure];

  if (marks.memory_high) say('memory_high', `more than 90 % of the memory was used; ask for ${memory}`);
  if (isAlwaysLow('memory')) say('memory_low', `less than 20 % of the memory was used; ${memory} is enough`);
  if (marks.runtime_high) say('runtime_high', `more than 90 % of the time was used; ask for ${time}`);
  if (isAlwaysLow('runtime')) say('runtime_low', `less than 20 % of the time was used; ${time} is enough`);
  if (isAlwaysLow('cpus') && cpus! < cpus_requested!)
    say('cpus_low', `less than 20 % of the CPUs were busy; ${cpus} is enough`);
  return advice;
}

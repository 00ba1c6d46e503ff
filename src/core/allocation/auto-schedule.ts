/** When `watch --auto-schedule` orders allocations. */
export interface AutoSchedulePolicy {
  /** So many retried jobs must be ready before another allocation is ordered beside those that are there. */
  threshold: number;
  /** Between two such orders. */
  cooldown_ms: number;
  /** Fewer retried jobs than the threshold get one when they have waited for so long; null: never. */
  stranded_ms: number | null;
}

export const DEFAULT_AUTO_SCHEDULE: AutoSchedulePolicy = {
  threshold: 5,
  cooldown_ms: 30 * 60_000,
  stranded_ms: 2 * 3_600_000,
};

export interface AutoScheduleFacts {
  /** Jobs that could run now. */
  ready: number;
  /** Those of them that have run before. */
  retried: number;
  /** Allocations that have not ended. */
  alive: number;
}

/** What is remembered between two looks. */
export interface AutoScheduleMemory {
  /** Since when jobs are ready and there is no allocation. */
  uncovered_since: number | null;
  /** Since when retried jobs wait beside allocations. */
  retried_since: number | null;
  ordered_at: number | null;
}

export const NOTHING_SEEN: AutoScheduleMemory = {
  uncovered_since: null,
  retried_since: null,
  ordered_at: null,
};

/** An engine that orders by itself has done so by then, and jobs that become ready together are seen together. */
const SETTLE_MS = 10_000;
/** An allocation that ends at once is not replaced at once. */
const LEAST_GAP_MS = 60_000;

/** Whether to order now, why, and what to remember. */
export function decideAutoSchedule(
  { ready, retried, alive }: AutoScheduleFacts,
  before: AutoScheduleMemory,
  policy: AutoSchedulePolicy,
  now: number,
): { order: string | null; memory: AutoScheduleMemory } {
  const uncovered_since = ready > 0 && alive === 0 ? (before.uncovered_since ?? now) : null;
  const retried_since = retried > 0 && alive > 0 ? (before.retried_since ?? now) : null;
  const since = before.ordered_at === null ? Number.POSITIVE_INFINITY : now - before.ordered_at;
  const waiting = { uncovered_since, retried_since, ordered_at: before.ordered_at };
  const ordered = { uncovered_since: null, retried_since: null, ordered_at: now };
  if (uncovered_since !== null) {
    return now - uncovered_since >= SETTLE_MS && since >= LEAST_GAP_MS
      ? { order: `${jobsText(ready)} ready and no allocation is alive`, memory: ordered }
      : { order: null, memory: waiting };
  }
  if (retried_since === null || since < policy.cooldown_ms) return { order: null, memory: waiting };
  if (retried >= policy.threshold) {
    return { order: `${jobsText(retried)} ready again`, memory: ordered };
  }
  return policy.stranded_ms !== null && now - retried_since >= policy.stranded_ms
    ? { order: `${jobsText(retried)} ready again for a long time`, memory: ordered }
    : { order: null, memory: waiting };
}

function jobsText(count: number): string {
  return `${count} ${count === 1 ? 'job is' : 'jobs are'}`;
}

/** What makes a job wait to be called instead of being planned. */
export interface OnCallFacts {
  /** Jobs named in a static `run`. */
  called: ReadonlySet<number>;
  /** What `on_call` says, where it says anything. */
  explicit: ReadonlyMap<number, boolean>;
  /** For each job, the jobs it waits for. */
  dependenciesOf: (job: number) => readonly number[];
  jobCount: number;
}

/**
 * Jobs that run only when a route calls them: those called (or declared so) on which no job outside
 * this set depends. One on which a planned job depends is planned, and may be called as well.
 */
export function onCallJobs(facts: OnCallFacts): Set<number> {
  const onCall = new Set<number>();
  for (const job of facts.called) if (facts.explicit.get(job) !== false) onCall.add(job);
  for (const [job, value] of facts.explicit) if (value) onCall.add(job);
  for (let changed = onCall.size > 0; changed; ) {
    changed = false;
    for (let job = 0; job < facts.jobCount; job++) {
      if (onCall.has(job)) continue;
      for (const dependency of facts.dependenciesOf(job)) changed = onCall.delete(dependency) || changed;
    }
  }
  return onCall;
}

import type { DecisionRecord, ResolveAction } from '../contract/records/resolution.ts';

interface Tally {
  decisions: number;
  succeeded: number;
  failed_again: number;
  open: number;
}

/** What one actor decided about failures that look alike. */
interface ActorStats extends Tally {
  actor: string;
  action: ResolveAction;
  latest_at_ms: number;
  latest_reason: string | null;
}

/** Past decisions about failures that look alike, and their results. */
export interface DecisionStats {
  /** null: the attempts were not looked at closely enough to know. */
  fingerprint: string | null;
  retried: number;
  succeeded: number;
  failed_again: number;
  failed: number;
  by: ActorStats[];
  decisions: DecisionRecord[];
}

/** Newest decisions first come in; the fingerprints decided about most often come out first. */
export function decisionStats(records: readonly DecisionRecord[]): DecisionStats[] {
  return [...groupBy(records, ({ fingerprint }) => fingerprint).entries()]
    .map(([fingerprint, decisions]) => {
      const retried = decisions.filter(({ action }) => action === 'retry');
      const { succeeded, failed_again } = tally(retried);
      const failed = decisions.length - retried.length;
      const actors = groupBy(decisions, ({ actor, action }) => `${action} ${actor}`);
      const by = [...actors.values()].map(actorStats);
      return { fingerprint, retried: retried.length, succeeded, failed_again, failed, by, decisions };
    })
    .sort((a, b) => b.decisions.length - a.decisions.length);
}

function actorStats(decisions: DecisionRecord[]): ActorStats {
  const { actor, action, decided_at_ms, reason } = decisions[0]!;
  return { actor, action, ...tally(decisions), latest_at_ms: decided_at_ms, latest_reason: reason };
}

function tally(decisions: readonly DecisionRecord[]): Tally {
  const count = (wanted: DecisionRecord['became']) =>
    decisions.filter(({ became }) => became === wanted).length;
  return {
    decisions: decisions.length,
    succeeded: count('succeeded'),
    failed_again: count('failed_again'),
    open: count('open'),
  };
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

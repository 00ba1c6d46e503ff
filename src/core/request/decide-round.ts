import type { ErrorSettings } from './error-settings.ts';

/** Units of a round when its run has ended. */
export interface UnitCounts {
  total: number;
  done: number;
  failed: number;
  /** Neither done nor failed: nothing of them failed, but they were not finished. */
  not_run: number;
}

export interface RoundFacts {
  units: UnitCounts;
  /** Rescues after failures that the round has had. */
  rescues: number;
  /** Whether work is left once this round is closed. */
  workLeft: boolean;
}

type RoundRule = 'success' | 'threshold' | 'rescue' | 'exhausted';

export interface RoundStep {
  rule: RoundRule;
  applies: boolean;
  because: string;
}

/** `rescue`: the next run of the same round. `close`: the round is over, and the request continues or is complete. */
export interface RoundDecision {
  kind: 'close' | 'rescue' | 'hold';
  /** Why a request is held; null unless it is. */
  hold: 'failure_ratio' | 'rescues_exhausted' | null;
  failure_ratio: number;
  reason: string;
  /** Every rule that was asked, in order; the last one decided. */
  walk: RoundStep[];
}

/** A site that was banned when a run of a round ended. */
export interface RoundBan {
  site: string;
  reason: string;
  /** For all work, not only for the request. */
  for_all: boolean;
}

/** How a run of a round ended, and what was decided about it. */
export interface RoundRunEnd {
  units: UnitCounts;
  decision: RoundDecision;
  bans: RoundBan[];
}

type RoundSettings = Pick<
  ErrorSettings,
  'error_hold_threshold' | 'error_max_rescue_attempts' | 'when_exhausted'
>;

/** The second level of error handling: what follows when a run of a round has ended. Pure; the first rule that applies decides. */
export function decideRound(
  { units, rescues, workLeft }: RoundFacts,
  settings: RoundSettings,
): RoundDecision {
  const { error_hold_threshold: threshold, error_max_rescue_attempts: most, when_exhausted } = settings;
  const ratio = units.total === 0 ? 0 : units.failed / units.total;
  const walk: RoundStep[] = [];
  const skip = (rule: RoundRule, because: string) => walk.push({ rule, applies: false, because });
  const decide = (
    rule: RoundRule,
    kind: RoundDecision['kind'],
    hold: RoundDecision['hold'],
    because: string,
  ): RoundDecision => {
    walk.push({ rule, applies: true, because });
    return { kind, hold, failure_ratio: ratio, reason: because, walk };
  };

  if (units.done === units.total) {
    const next = workLeft ? 'the next round follows' : 'nothing is left to do';
    const all = units.total === 1 ? 'its unit is' : `all ${units.total} units are`;
    return decide('success', 'close', null, `${all} done; ${next}`);
  }
  skip('success', `${units.total - units.done} of ${units.total} units are not done`);

  const share = `${units.failed} of ${units.total} units failed (${percent(ratio)})`;
  if (units.failed > 0 && ratio >= threshold) {
    return decide('threshold', 'hold', 'failure_ratio', `${share}, the threshold is ${percent(threshold)}`);
  }
  skip('threshold', `${share}, below the threshold of ${percent(threshold)}`);

  if (rescues < most) {
    return decide('rescue', 'rescue', null, `${share}: rescue ${rescues + 1} of ${most}`);
  }
  // After the number was lowered there can be more than it allows.
  const used = `${Math.min(rescues, most)} of ${most} used`;
  skip('rescue', most === 0 ? 'no rescue is allowed' : `no rescue left (${used})`);

  const spent = `${share}, and ${most === 0 ? 'no rescue is allowed' : `no rescue is left (${used})`}`;
  if (when_exhausted === 'advance') {
    return decide('exhausted', 'close', null, `${spent}; when_exhausted is advance, so the round is closed`);
  }
  return decide('exhausted', 'hold', 'rescues_exhausted', spent);
}

/** 0.2 → `20 %`, 0.015 → `1.5 %`. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

import { allPages } from '../contract/all-pages.ts';
import type { Engine } from '../contract/engine.ts';
import type { AttemptRecord } from '../contract/records/records.ts';
import type { HoldRecord, RoundRecord } from '../contract/records/request.ts';
import type { RoundBan, RoundDecision, UnitCounts } from '../core/request/decide-round.ts';
import { attemptOutcome } from '../views/attempt.ts';

/** Why a unit failed in a run of a round. */
export interface SimulatedFailure {
  unit: number;
  job: string;
  site: string;
  /** Attempts of the job in the run. */
  attempts: number;
  outcome: string;
  category: string | null;
  reason: string | null;
}

/** One run of a round and what was decided at its end. Times count from the beginning. */
export interface SimulatedRun {
  run_id: number;
  kind: RoundRecord['runs'][number]['kind'];
  starts_at_ms: number | null;
  ends_at_ms: number | null;
  units: UnitCounts | null;
  failures: SimulatedFailure[];
  decision: RoundDecision | null;
  bans: RoundBan[];
}

export interface SimulatedRound {
  number: number;
  state: RoundRecord['state'];
  first_unit: number | null;
  last_unit: number | null;
  runs: SimulatedRun[];
  /** The request was held after it, and a release followed. */
  released: HoldRecord | null;
}

/** Holds that were released, by the number of the round after which they came. */
export type Releases = Map<number, HoldRecord>;

/** Numbers of the units of a round. */
export async function unitNumbers(engine: Engine, name: string, round: number): Promise<number[]> {
  return (await allPages((page) => engine.listUnits(name, { ...page, round }))).map(({ number }) => number);
}

/** All rounds of a request that was played, oldest first. */
export async function playedRounds(
  engine: Engine,
  name: string,
  releases: Releases,
  beginning: number,
): Promise<SimulatedRound[]> {
  const rounds = (await allPages((page) => engine.listRounds(name, page))).reverse();
  const played: SimulatedRound[] = [];
  for (const { number, state, workflow_id, runs, units } of rounds) {
    const numbers = await unitNumbers(engine, name, number);
    const hasFailed = units.done < units.total || runs.length > 1;
    const attempts = hasFailed ? await allPages((page) => engine.listAttempts(workflow_id, page)) : [];
    const sites = hasFailed ? await sitesOf(engine) : new Map<number, string>();
    played.push({
      number,
      state,
      first_unit: numbers[0] ?? null,
      last_unit: numbers.at(-1) ?? null,
      runs: runs.map((run) => ({
        run_id: run.run_id,
        kind: run.kind,
        starts_at_ms: run.started_at_ms === null ? null : run.started_at_ms - beginning,
        ends_at_ms: run.finished_at_ms === null ? null : run.finished_at_ms - beginning,
        units: run.units,
        failures: failuresOf(
          attempts.filter(({ run_id }) => run_id === run.run_id),
          sites,
        ),
        decision: run.decision,
        bans: run.bans,
      })),
      released: releases.get(number) ?? null,
    });
  }
  return played;
}

async function sitesOf(engine: Engine): Promise<Map<number, string>> {
  const workers = await allPages((page) => engine.listWorkers(page));
  return new Map(workers.map(({ id, site }) => [id, site]));
}

/** The attempts with which jobs failed for good. */
function failuresOf(
  attempts: readonly AttemptRecord[],
  sites: ReadonlyMap<number, string>,
): SimulatedFailure[] {
  const counts = new Map<string, number>();
  for (const { job_name } of attempts) counts.set(job_name, (counts.get(job_name) ?? 0) + 1);
  return attempts
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'abort')
    .map((attempt) => ({
      unit: Number(/^unit_(\d+)/.exec(attempt.job_name)?.[1] ?? 0),
      job: attempt.job_name,
      site: sites.get(attempt.worker_id) ?? '',
      attempts: counts.get(attempt.job_name)!,
      outcome: attemptOutcome(attempt),
      category: attempt.category,
      reason: attempt.reason,
    }))
    .sort((a, b) => a.unit - b.unit || (a.job < b.job ? -1 : 1));
}

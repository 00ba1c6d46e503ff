import type { AttemptRecord, JobRecord } from '../../contract/records/records.ts';
import type { ItemRecord, RequestRecord, RoundRecord, UnitRecord } from '../../contract/records/request.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
import { attemptOutcome } from '../attempt.ts';
import { runNames } from './run-names.ts';

/** One unit: what it is to deliver, its jobs, and how they ended in each run. */
export interface ExplainedUnit {
  request_name: string;
  version: number;
  unit: UnitRecord;
  /** How its numbers or items ended, in one sentence. */
  why: string;
  items: Pick<ItemRecord, 'path' | 'state' | 'reason'>[];
  jobs: { name: string; status: JobStatus; attempts: number; reason: string | null }[];
  /** The last attempt of each of its jobs in each run. */
  runs: { run_id: number; run: string; ends: UnitEnd[] }[];
}

export interface UnitEnd {
  job: string;
  /** From 1 in each run. */
  attempt_id: number;
  state: AttemptRecord['state'];
  outcome: string;
  category: string | null;
  reason: string | null;
}

export interface UnitFacts {
  request: Pick<RequestRecord, 'request_name' | 'version'>;
  round: RoundRecord;
  unit: UnitRecord;
  items: readonly ItemRecord[];
  jobs: readonly JobRecord[];
  /** Of all its jobs, oldest first. */
  attempts: readonly AttemptRecord[];
}

export function explainedUnit({ request, round, unit, items, jobs, attempts }: UnitFacts): ExplainedUnit {
  const names = runNames(round.runs);
  return {
    request_name: request.request_name,
    version: request.version,
    unit,
    why: whyUnit(unit, round),
    items: items.map(({ path, state, reason }) => ({ path, state, reason })),
    jobs: jobs.map(({ id, name, status, reason }) => ({
      name,
      status,
      attempts: attempts.filter(({ job_id }) => job_id === id).length,
      reason,
    })),
    runs: round.runs.flatMap(({ run_id }, index) => {
      const ends = lastAttempts(attempts.filter((attempt) => attempt.run_id === run_id));
      return ends.length === 0 ? [] : [{ run_id, run: names[index]!, ends }];
    }),
  };
}

function lastAttempts(attempts: readonly AttemptRecord[]): UnitEnd[] {
  const last = new Map(attempts.map((attempt) => [attempt.job_id, attempt]));
  return [...last.values()].map((attempt) => ({
    job: attempt.job_name,
    attempt_id: attempt.attempt_id,
    state: attempt.state,
    outcome: attemptOutcome(attempt),
    category: attempt.category,
    reason: attempt.reason,
  }));
}

/** Numbers of a range only move forward: those of a unit that is not done when its round is closed are left out. */
function whyUnit({ state, first, last, size }: UnitRecord, round: RoundRecord): string {
  const isRange = first !== null;
  const work = isRange ? `numbers ${first} to ${last}` : `${size} ${size === 1 ? 'item' : 'items'}`;
  if (state === 'done') return `${work}: ${isRange ? 'delivered' : 'processed'}`;
  const isOpen = round.state === 'SUBMITTED' || round.state === 'RUNNING' || round.state === 'STOPPED';
  const how = state === 'not_run' ? 'not run to its end' : state;
  if (isOpen) return `${work}: ${how}; round ${round.number} is not over`;
  return isRange
    ? `${work}: ${how} when round ${round.number} ended; other numbers take their place`
    : `${work}: ${how} when round ${round.number} ended; items that are not excluded are planned again`;
}

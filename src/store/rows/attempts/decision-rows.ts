import type { Reader } from '../../../contract/by.ts';
import type { ResolveAction } from '../../../contract/records/resolution.ts';
import { all, first, run, type Script, type SqlValue } from '../../script.ts';
import { inReadable } from '../access/readable.ts';

export interface NewDecision {
  workflow_id: number;
  run_id: number;
  job_id: number;
  attempt_id: number;
  action: ResolveAction;
  actor: string;
  reason: string | null;
  confidence: number | null;
  fingerprint: string | null;
  memory_bytes: number | null;
  runtime_ms: number | null;
  decided_at: number;
}

export interface DecisionRow extends NewDecision {
  id: number;
  job_name: string;
  scope: string;
  /** How the next attempt of the job in that run ended: its verdict and cause; null if there is none, or it is live. */
  next_verdict: string | null;
  next_cause: string | null;
}

export function* insertDecision(decision: NewDecision): Script<void> {
  yield* run(
    `insert into decision (workflow_id, run_id, job_id, attempt_id, action, actor, reason, confidence, fingerprint,
       memory_bytes, runtime_ms, decided_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    decision.workflow_id,
    decision.run_id,
    decision.job_id,
    decision.attempt_id,
    decision.action,
    decision.actor,
    decision.reason,
    decision.confidence,
    decision.fingerprint,
    decision.memory_bytes,
    decision.runtime_ms,
    decision.decided_at,
  );
}

/** The newest decision about a job in a run. */
export function* findLastDecision(
  jobId: number,
  runId: number,
): Script<{ action: ResolveAction; attempt_id: number } | undefined> {
  return yield* first<{ action: ResolveAction; attempt_id: number }>(
    'select action, attempt_id from decision where job_id = ? and run_id = ? order by id desc limit 1',
    jobId,
    runId,
  );
}

/** How often agents had a job tried again in a run. */
export function* countAgentRetries(jobId: number, runId: number): Script<number> {
  const row = yield* first<{ count: number }>(
    `select count(*) as count from decision where job_id = ? and run_id = ? and action = 'retry'
       and actor like 'agent:%'`,
    jobId,
    runId,
  );
  return row!.count;
}

export function* countDecisionsOf(actor: string, since: number): Script<number> {
  const row = yield* first<{ count: number }>(
    'select count(*) as count from decision where actor = ? and decided_at > ?',
    actor,
    since,
  );
  return row!.count;
}

// A recovery that begins a new run decides about an attempt of the run before; what follows it is in the next run.
const NEXT = (column: string) => `(select next.${column} from attempt next
  where next.job_id = decision.job_id and next.finished_at is not null and next.counts_as is distinct from 'preemption'
    and (next.run_id > decision.run_id or (next.run_id = decision.run_id and next.attempt_id > decision.attempt_id))
  order by next.run_id, next.attempt_id limit 1)`;

/** Newest first, below the id `before`. */
export function* listDecisions(
  filter: { before: number; limit: number; workflow_id: number | null; fingerprint: string | null },
  reader?: Reader,
): Script<DecisionRow[]> {
  const visible = inReadable('decision.workflow_id', reader);
  const conditions = [`decision.id < ?${visible.sql}`];
  const values: SqlValue[] = [filter.before, ...visible.values];
  for (const column of ['workflow_id', 'fingerprint'] as const) {
    const wanted = filter[column];
    if (wanted === null) continue;
    conditions.push(`decision.${column} = ?`);
    values.push(wanted);
  }
  return yield* all<DecisionRow>(
    `select decision.id, decision.workflow_id, decision.run_id, decision.job_id, job.name as job_name, job.scope,
       decision.attempt_id, decision.action, decision.actor, decision.reason, decision.confidence,
       decision.fingerprint, decision.memory_bytes, decision.runtime_ms, decision.decided_at,
       ${NEXT('verdict')} as next_verdict, ${NEXT('cause')} as next_cause
     from decision join job on job.id = decision.job_id
     where ${conditions.join(' and ')} order by decision.id desc limit ?`,
    ...values,
    filter.limit,
  );
}

import type { RunVerdict } from '../../core/run/decide-run.ts';
import { isRunEnd } from '../../core/run/run-transitions.ts';
import { orderEndActions, withdrawEndActions } from '../../store/rows/errands/action-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { findRun, finishRun } from '../../store/rows/workflows/run-rows.ts';
import type { Script } from '../../store/script.ts';
import type { RunOf } from '../flow/follow-flow.ts';
import { notifyRunEnd } from '../notify/order-notifications.ts';
import { traceRunEnd } from '../notify/order-trace.ts';
import { endRound } from '../rounds/end-round.ts';
import { readRun } from './read-run.ts';

/** What happens at the end of a run, in the transaction that ends it. */
type RunEndListener = (run: RunOf, verdict: RunVerdict, now: number) => Script<void>;

const LISTENERS: readonly RunEndListener[] = [
  orderActions,
  notifyRunEnd,
  traceRunEnd,
  (run, _, now) => endRound(run, now),
];

/** Actions of the end are ordered here, and done by the next worker that can: none is lost when no process drives the run. */
function* orderActions(run: RunOf, { exit_code }: RunVerdict, now: number): Script<void> {
  yield* orderEndActions(run.id, run.run_id, exit_code !== 0, now);
}

/** Ends the run when no job of it is open any more. Every transaction that can end the last job calls this. */
export function* endRunIfComplete(run: RunOf, now: number): Script<void> {
  if (yield* hasOpenJobs(run.id)) return;
  yield* endRun(run, null, now);
}

/** A new run of the workflow begins: this one ends as it is. */
export function* endReplacedRun(run: RunOf, now: number): Script<void> {
  yield* endRun(run, { state: 'replaced', exit_code: null }, now);
  yield* withdrawEndActions(run.id, run.run_id);
}

/** The one place where a run ends. A run that has ended before is left as it is. */
function* endRun(run: RunOf, given: RunVerdict | null, now: number): Script<void> {
  const row = yield* findRun(run.id, run.run_id);
  if (isRunEnd(row.state)) return;
  const verdict = given ?? (yield* readRun(run.id)).verdict;
  if (!isRunEnd(verdict.state)) throw new Error(`a run does not end as ${verdict.state}`);
  yield* finishRun(run.id, row, verdict.state, now);
  if (verdict.state === 'replaced') {
    yield* traceRunEnd(run, verdict, now);
    return;
  }
  yield* appendEvent({
    workflow_id: run.id,
    run_id: run.run_id,
    at: now,
    type: 'run_finished',
    data: { ...verdict },
  });
  for (const onRunEnd of LISTENERS) yield* onRunEnd(run, verdict, now);
}

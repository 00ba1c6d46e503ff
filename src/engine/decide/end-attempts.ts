import type { RecoveryOrder } from '../../contract/records/errand.ts';
import { findLiveAttempt, type LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { addToRun, type RunTotals } from '../../store/rows/workflows/run-rows.ts';
import type { Script } from '../../store/script.ts';
import { endRunIfComplete } from '../runs/end-run.ts';
import { completeAttempts, type PlainSuccess, plainSuccess } from './complete-attempts.ts';
import { endAttempt } from './end-attempt.ts';
import type { EndReport } from './end-report.ts';
import type { Judgement } from './judge-attempt.ts';

export interface AttemptEnding {
  live: LiveAttempt;
  report: EndReport;
  /** The worker that reports it, and runs what follows; null: its worker was found dead. */
  reporter: number | null;
  /** What was decided when the report came in; null or absent: it was not. */
  judged?: Judgement | null;
}

/**
 * Ends attempts, those that simply succeeded together and the others one by one, adds them to their runs' totals, and
 * ends the runs that are complete by it. `unfinished` are workflows that were known to have open jobs without a live
 * attempt before. Returns the recovery scripts that their reporters have to run.
 */
export function* endAttempts(
  endings: readonly AttemptEnding[],
  now: number,
  unfinished: ReadonlySet<number> = new Set(),
): Script<RecoveryOrder[]> {
  const runs = new Totals();
  const successes: PlainSuccess[] = [];
  const others: AttemptEnding[] = [];
  for (const ending of endings) {
    const success = yield* plainSuccess(ending.live, ending.report);
    if (success === null) others.push(ending);
    else {
      successes.push(success);
      runs.add(ending, true);
    }
  }
  const endedMore = yield* completeAttempts(successes, now);
  const recoveries: RecoveryOrder[] = [];
  for (const [index, ending] of others.entries()) {
    const { report, reporter, judged = null } = ending;
    // What was decided before may have canceled or overtaken it.
    const live = index === 0 ? ending.live : (yield* findLiveAttempt(ending.live.id))!;
    const { decision, recovery } = yield* endAttempt(live, report, now, reporter, judged);
    if (recovery !== null) recoveries.push(recovery);
    runs.add(ending, decision.verdict.kind === 'complete');
  }
  for (const { workflowId, runId, ...totals } of runs.inOrder()) {
    yield* addToRun(workflowId, runId, totals);
    const isOpen = others.length === 0 && !endedMore && unfinished.has(workflowId);
    if (!isOpen) yield* endRunIfComplete({ id: workflowId, run_id: runId }, now);
  }
  return recoveries;
}

interface TotalsOfRun extends RunTotals {
  workflowId: number;
  runId: number;
}

/** What the attempts of a transaction add to the totals of their runs. */
class Totals {
  readonly #runs = new Map<string, TotalsOfRun>();

  add({ live, report }: AttemptEnding, isComplete: boolean): void {
    const key = `${live.workflow_id} ${live.run_id}`;
    const run = this.#runs.get(key) ?? {
      workflowId: live.workflow_id,
      runId: live.run_id,
      attempts_finished: 0,
      successes: 0,
      success_ms: 0,
    };
    this.#runs.set(key, run);
    run.attempts_finished += 1;
    const startedAt = live.started_at ?? report.started_at_ms;
    if (!isComplete || startedAt === null) return;
    run.successes += 1;
    run.success_ms += report.finished_at_ms - startedAt;
  }

  /** By workflow, so that two writers cannot wait for each other. */
  inOrder(): TotalsOfRun[] {
    return [...this.#runs.values()].sort((a, b) => a.workflowId - b.workflowId || a.runId - b.runId);
  }
}

import type { Exchange, RecoveryReport, StartReport } from '../core/exchange.ts';
import { findLiveAttempts, type LiveAttempt, observeAttempt, startAttempts } from '../store/attempt-rows.ts';
import { toRunning } from '../store/job-rows.ts';
import { lockHeldWorkflows } from '../store/lock-rows.ts';
import { listHeldRecoveries } from '../store/recovery-rows.ts';
import type { Script } from '../store/script.ts';
import { endActions } from './due-actions.ts';
import { type AttemptEnding, endAttempts } from './end-attempts.ts';
import { endRecovery } from './end-recovery.ts';
import type { ExchangePart } from './exchange-part.ts';
import { acceptEvaluation, openQuestion } from './open-question.ts';

/** Accepts what the workers report, and adds to their results what follows from it. */
export function* acceptReports(parts: readonly ExchangePart[], now: number): Script<void> {
  const reporting = parts.filter(({ request }) => hasReports(request));
  if (reporting.length === 0) return;
  for (const part of reporting) part.changed = true;
  yield* lockHeldWorkflows(reporting.map(({ worker }) => worker.id));
  const endings = new Endings();
  // First, since what they lead to may cancel or overtake attempts that are reported too.
  for (const part of reporting) yield* acceptEvaluations(part, endings, now);
  const lives = yield* findLiveAttempts(
    reporting.flatMap(({ request }) => [...request.started, ...request.finished].map(({ token }) => token)),
  );
  yield* acceptStarts(reporting, lives);
  for (const part of reporting) yield* acceptFinishes(part, lives, endings);
  yield* endings.end(now);
  for (const { worker, request } of reporting) {
    yield* acceptRecoveries(worker.id, request.recovered, now);
    yield* endActions(worker.id, request.acted, now);
  }
}

function hasReports({ started, finished, recovered, acted, evaluated }: Exchange): boolean {
  return [started, finished, recovered, acted, evaluated].some(({ length }) => length > 0);
}

/** Attempts that can be decided, each with the part that reports it. */
class Endings {
  private readonly byToken = new Map<number, { part: ExchangePart; ending: AttemptEnding }>();

  has(token: number): boolean {
    return this.byToken.has(token);
  }

  add(part: ExchangePart, ending: Omit<AttemptEnding, 'reporter'>): void {
    this.byToken.set(ending.live.id, { part, ending: { ...ending, reporter: part.worker.id } });
  }

  *end(now: number): Script<void> {
    const endings = [...this.byToken.values()].map(({ ending }) => ending);
    for (const recovery of yield* endAttempts(endings, now)) {
      this.byToken.get(recovery.token)!.part.result.recover.push(recovery);
    }
  }
}

function* acceptEvaluations(part: ExchangePart, endings: Endings, now: number): Script<void> {
  for (const { token, evaluations } of part.request.evaluated) {
    const answered = yield* acceptEvaluation(part.worker.id, token, evaluations, now);
    if (answered !== null) endings.add(part, answered);
  }
}

/** A start that was told before is as true as it was; those of attempts that are not the worker's are rejected. */
function* acceptStarts(parts: readonly ExchangePart[], lives: Lives): Script<void> {
  const begun: StartReport[] = [];
  for (const { worker, request, result } of parts) {
    for (const report of request.started) {
      const live = heldBy(worker.id, lives.get(report.token));
      if (live === undefined) result.rejected.push(report.token);
      else if (live.started_at === null) {
        live.started_at = report.started_at_ms;
        begun.push(report);
      }
    }
  }
  yield* startAttempts(begun);
  yield* toRunning(begun.map(({ token }) => lives.get(token)!.job_id));
}

/** Of each attempt that its command has ended: whether it can be decided, or what has to be asked before. */
function* acceptFinishes(part: ExchangePart, lives: Lives, endings: Endings): Script<void> {
  const { worker, request, result } = part;
  for (const report of request.finished) {
    const live = endings.has(report.token) ? undefined : heldBy(worker.id, lives.get(report.token));
    const question = live === undefined ? 'repeated' : yield* openQuestion(live, report);
    if (question === 'repeated') result.rejected.push(report.token);
    else if (question === null) endings.add(part, { live: live!, report });
    else {
      yield* observeAttempt(live!.id, live!.started_at ?? report.started_at_ms, JSON.stringify(report));
      if (question === 'post') result.post.push(report.token);
      else result.evaluate.push(question);
    }
  }
}

type Lives = ReadonlyMap<number, LiveAttempt>;

function heldBy(workerId: number, live: LiveAttempt | undefined): LiveAttempt | undefined {
  return live?.worker_id === workerId ? live : undefined;
}

function* acceptRecoveries(workerId: number, reports: RecoveryReport[], now: number): Script<void> {
  if (reports.length === 0) return;
  const held = new Map((yield* listHeldRecoveries(workerId)).map((recovery) => [recovery.token, recovery]));
  for (const { token, outcome } of reports) {
    const recovery = held.get(token);
    if (recovery !== undefined) yield* endRecovery(recovery, outcome, now);
    held.delete(token);
  }
}

import type { ErrandKind } from '../../contract/records/errand.ts';
import type { Exchange, FinishReport, StartReport } from '../../contract/records/exchange.ts';
import { lockHeldWorkflows } from '../../store/lock-rows.ts';
import { startAttempts } from '../../store/rows/attempts/attempt-rows.ts';
import { putFileMarks } from '../../store/rows/attempts/file-mark-rows.ts';
import { findLiveAttempts, type LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { putSamples } from '../../store/rows/attempts/sample-rows.ts';
import { findStartedErrands } from '../../store/rows/errands/errand-rows.ts';
import { listUnfinishedOf } from '../../store/rows/jobs/job-rows.ts';
import { toRunning } from '../../store/rows/jobs/job-transitions.ts';
import { type Script, together } from '../../store/script.ts';
import { type AttemptEnding, endAttempts } from '../decide/end-attempts.ts';
import { acceptErrand } from '../errands/accept-errand.ts';
import { orderQuestion } from '../errands/order-question.ts';
import type { ExchangePart } from './exchange-part.ts';
import { possibleEnd, possibleStart } from './possible-times.ts';

/** Reports of these lead to what may cancel or overtake attempts that are reported too. */
const ERRANDS_FIRST: readonly ErrandKind[] = ['evaluation', 'post'];

/**
 * Locks what reports can change, and reads the attempts that they are about. null: errands are reported that may change
 * these attempts, which are read after them.
 */
export function* readReported(sent: readonly SentReports[]): Script<Reported | null> {
  const reporting = sent.filter(({ request }) => hasReports(request));
  yield* lockHeldWorkflows(reporting.map(({ workerId }) => workerId));
  const requests = reporting.map(({ request }) => request);
  const areLater = requests.some(({ errands }) => errands.some(({ kind }) => ERRANDS_FIRST.includes(kind)));
  return areLater ? null : yield* findReported(requests);
}

interface SentReports {
  workerId: number;
  request: Exchange;
}

/** Read before anything that is reported changes it. */
interface Reported {
  lives: Lives;
  /** Workflows that have open jobs without a live attempt. */
  unfinished: ReadonlySet<number>;
}

function* findReported(requests: readonly Exchange[]): Script<Reported> {
  const finished = requests.flatMap((request) => request.finished.map(({ token }) => token));
  const started = requests.flatMap((request) => request.started.map(({ token }) => token));
  const [lives, unfinished] = yield* together(
    findLiveAttempts([...started, ...finished]),
    listUnfinishedOf(finished),
  );
  return { lives, unfinished: new Set(unfinished) };
}

/** Accepts what the workers report, and adds to their results what follows from it. `read` is what `readReported` gave. */
export function* acceptReports(
  parts: readonly ExchangePart[],
  read: Reported | null,
  now: number,
): Script<void> {
  const reporting = parts.filter(({ request }) => hasReports(request));
  if (reporting.length === 0) return;
  for (const part of reporting) part.changed = true;
  const endings = new Endings();
  for (const part of reporting) yield* acceptErrands(part, ERRANDS_FIRST, endings, now);
  const { lives, unfinished } = read ?? (yield* findReported(reporting.map(({ request }) => request)));
  yield* acceptStarts(reporting, lives, now);
  for (const part of reporting) yield* acceptFinishes(part, lives, endings, now);
  yield* endings.end(unfinished, now);
  for (const part of reporting) yield* acceptErrands(part, ['recovery', 'action', 'outputs'], endings, now);
}

function hasReports({ started, finished, errands }: Exchange): boolean {
  return started.length + finished.length + errands.length > 0;
}

/** Attempts that can be decided, each with the part that reports it. */
class Endings {
  readonly #byToken = new Map<number, { part: ExchangePart; ending: AttemptEnding }>();

  has(token: number): boolean {
    return this.#byToken.has(token);
  }

  add(part: ExchangePart, ending: Omit<AttemptEnding, 'reporter'>): void {
    this.#byToken.set(ending.live.id, { part, ending: { ...ending, reporter: part.worker.id } });
  }

  *end(unfinished: ReadonlySet<number>, now: number): Script<void> {
    const endings = [...this.#byToken.values()].map(({ ending }) => ending);
    for (const recovery of yield* endAttempts(endings, now, unfinished)) {
      this.#byToken.get(recovery.token)!.part.result.errands.push(recovery);
    }
  }
}

/** Errands that the worker does not hold, because their end is known or they were taken from it, change nothing. */
function* acceptErrands(
  part: ExchangePart,
  kinds: readonly ErrandKind[],
  endings: Endings,
  now: number,
): Script<void> {
  const reports = part.request.errands.filter(({ kind }) => kinds.includes(kind));
  if (reports.length === 0) return;
  const held = yield* findStartedErrands(reports.map(({ id }) => id));
  for (const report of reports) {
    const errand = held.get(report.id);
    if (errand?.worker_id !== part.worker.id || errand.kind !== report.kind) continue;
    held.delete(report.id);
    const { ending, order } = yield* acceptErrand(errand, report, now);
    if (ending !== undefined) endings.add(part, ending);
    if (order !== undefined) part.result.errands.push(order);
  }
}

/** A start that was reported before is as true as it was; those of attempts that are not the worker's are rejected. */
function* acceptStarts(parts: readonly ExchangePart[], lives: Lives, now: number): Script<void> {
  const begun: StartReport[] = [];
  for (const { worker, request, result } of parts) {
    for (const report of request.started) {
      const live = heldBy(worker.id, lives.get(report.token));
      if (live === undefined) result.rejected.push(report.token);
      else if (live.started_at === null) {
        const start = possibleStart(report, live, now);
        live.started_at = start.started_at_ms;
        begun.push(start);
      }
    }
  }
  yield* startAttempts(begun);
  yield* toRunning(begun.map(({ token }) => lives.get(token)!.job_id));
}

/** Of each attempt that its command has ended: whether it can be decided, or what has to be asked before. */
function* acceptFinishes(part: ExchangePart, lives: Lives, endings: Endings, now: number): Script<void> {
  const { worker, request, result } = part;
  for (const sent of request.finished) {
    const live = endings.has(sent.token) ? undefined : heldBy(worker.id, lives.get(sent.token));
    const { files } = sent;
    const facts = files === undefined ? sent : withoutFiles(sent);
    const report = live === undefined ? facts : possibleEnd(facts, live, now);
    if (live !== undefined && files !== undefined) yield* putFileMarks(live, files);
    if (live !== undefined && (report.samples ?? []).length > 0) yield* putSamples(live.id, report.samples!);
    // What is reported again says nothing that is not known.
    if (live === undefined || live.observed !== null) {
      result.rejected.push(report.token);
      continue;
    }
    const { order, judged } = yield* orderQuestion(live, report, now);
    if (order === null) endings.add(part, { live, report, judged });
    else result.errands.push(order);
  }
}

/** What is kept of a report. Few have files, and to copy the rest of an object is slow. */
function withoutFiles({ files: _, ...facts }: FinishReport): FinishReport {
  return facts;
}

type Lives = ReadonlyMap<number, LiveAttempt>;

function heldBy(workerId: number, live: LiveAttempt | undefined): LiveAttempt | undefined {
  return live?.worker_id === workerId ? live : undefined;
}

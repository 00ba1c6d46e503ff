import type { Engine } from '../../contract/engine.ts';
import type { Capacity, ExchangeResult } from '../../contract/records/exchange.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { AttemptRunner } from '../execute/attempt-runner.ts';
import type { Launchers } from '../execute/launchers.ts';
import { monotonicNow } from '../launcher/monotonic-now.ts';
import type { LogSender } from '../observe/log-sender.ts';
import type { ExchangeSender } from './exchange-sender.ts';
import type { Reports } from './outbox.ts';

/** Renewed three times within the lease, so that one missed renewal costs nothing. */
const RENEW_MS = 10_000;
/** What the launcher has for killing before another worker may be given the jobs. */
const KILLING_MS = 2_000;
/** Longest pause between looks that find nothing for this worker. */
const LONGEST_LULL_MS = 500;
/** What is looked at so seldom need not wait. */
const LULL_AFTER_MS = 1_000;

/** What there is besides when the engine is reached over a network, or may give the jobs to others. */
export interface Remoteness {
  sender: ExchangeSender;
  logs: LogSender;
}

/** What a worker works for, and where. */
export interface SessionPlace {
  /** The only workflow whose jobs it takes. */
  workflowId?: number;
  /** It drives a run, and wants to hear of its end, which may be others' doing. Otherwise it hears of what may be for it. */
  drivesRun?: boolean;
  /** How long it will be there; null: not known. */
  timeLeftMs?(): number | null;
  remoteness: Remoteness | null;
}

/** The time between a worker's registration and its leaving: exchanges, and the rests between them. */
export class WorkerSession {
  readonly #engine: Engine;
  readonly #workerId: number;
  readonly #runner: AttemptRunner;
  readonly #launchers: Launchers;
  readonly #place: SessionPlace;
  readonly #remoteness: Remoteness | null;
  #exchanging = false;
  #missedNews = false;
  /** By `monotonicNow`; null before the first exchange. */
  #last: { at: number; dueAt: number | null; fencedFrom: number } | null = null;
  /** Looks in a row, without a pause between them, that found nothing. */
  #vain = 0;

  constructor(
    engine: Engine,
    workerId: number,
    parts: { runner: AttemptRunner; launchers: Launchers },
    place: SessionPlace,
  ) {
    this.#engine = engine;
    this.#workerId = workerId;
    this.#runner = parts.runner;
    this.#launchers = parts.launchers;
    this.#place = place;
    this.#remoteness = place.remoteness;
  }

  /** Something was committed. Returns the way to stop listening. */
  listen(): () => void {
    const workerId = this.#place.drivesRun === true ? undefined : this.#workerId;
    return this.#engine.onChange(() => this.#onNews(), workerId);
  }

  /** What has started, what has ended, what to do next. */
  async exchange(leaving = false): Promise<ExchangeResult> {
    const reports = this.#runner.takeReports();
    await this.#sendLogs(reports);
    this.#exchanging = true;
    this.#missedNews = false;
    const { result, sentAt } = await this.#ask(reports, leaving)
      .catch(async (error: unknown) => {
        if (isRetired(error)) await this.#deliverLate();
        throw error;
      })
      .finally(() => {
        this.#exchanging = false;
      });
    const now = monotonicNow();
    const fencedFrom = sentAt + result.lease_ms - Math.min(KILLING_MS, result.lease_ms / 5);
    // Before anything is launched: the answer may be so late that nothing may be.
    if (this.#remoteness !== null) this.#launchers.fence(fencedFrom);
    this.#runner.carryOut(reports, result);
    this.#remoteness?.logs.follow(result.follow);
    const isPaused = this.#last === null || now - this.#last.at > LULL_AFTER_MS;
    this.#vain = isPaused || !isInVain(reports, result) ? 0 : this.#vain + 1;
    const dueAt = result.next_due_at_ms === null ? null : now + result.next_due_at_ms - result.at_ms;
    this.#last = { at: now, dueAt, fencedFrom };
    if (this.#remoteness !== null && this.#missedNews) this.#runner.wake.raiseWithin(LONGEST_LULL_MS / 5);
    return result;
  }

  async #sendLogs(reports: Reports): Promise<void> {
    await this.#remoteness?.logs.sendLast(this.#runner.tokensWithLogs(reports));
  }

  /** Until there is something to report or to ask for. */
  async rest(): Promise<void> {
    if (!this.#runner.hasNews) await this.#runner.wake.wait(this.#patience());
  }

  /** Does what is to be done at a worker's end, and waits for it. */
  async leave(): Promise<void> {
    await this.exchange(true);
    while (!this.#runner.isIdle) {
      await this.rest();
      await this.exchange(true);
    }
  }

  /** Nothing more is sent. */
  close(): void {
    this.#remoteness?.logs.stop();
  }

  /** The engine has given this worker up, and still takes its successes. */
  async #deliverLate(): Promise<void> {
    for (;;) {
      const reports = this.#runner.takeReports();
      if (reports.finished.length === 0) return;
      await this.#remoteness?.logs.sendLast(reports.finished.map(({ token }) => token));
      await this.#ask(reports, true).catch((error: unknown) => {
        if (!isRetired(error)) throw error;
      });
    }
  }

  async #ask(reports: Reports, leaving: boolean): Promise<{ result: ExchangeResult; sentAt: number }> {
    const exchange = {
      ...reports,
      leaving,
      capacity: leaving ? null : this.#capacity(),
      ...(this.#place.workflowId !== undefined && { workflow_id: this.#place.workflowId }),
    };
    const [engine, workerId, remoteness] = [this.#engine, this.#workerId, this.#remoteness];
    if (remoteness === null) {
      return { result: await engine.exchange(workerId, exchange), sentAt: monotonicNow() };
    }
    const { sender, logs } = remoteness;
    const fencedFrom = this.#last?.fencedFrom ?? Number.NEGATIVE_INFINITY;
    return sender.exchange(engine, workerId, exchange, {
      // Logs that an outage kept back come before the report, as they do without one.
      before: () => logs.sendLast([]),
      hasJobs: () => (countOf(reports) > 0 || !this.#runner.isIdle) && monotonicNow() < fencedFrom,
    });
  }

  #capacity(): Capacity | null {
    const capacity = this.#runner.capacity();
    const left = this.#place.timeLeftMs?.() ?? null;
    return capacity === null || left === null ? capacity : { ...capacity, time_left_ms: left };
  }

  #onNews(): void {
    // What this worker reports is in the answer already; only news from others are worth a look.
    if (this.#exchanging) this.#missedNews = true;
    else if (this.#remoteness === null) this.#runner.wake.raise();
    else this.#runner.wake.raiseWithin(this.#lull());
  }

  /** There may be work that is not for this worker; all workers that look at it again and again would be many. */
  #lull(): number {
    return this.#vain === 0 ? 0 : Math.min(LONGEST_LULL_MS, 5 * 2 ** this.#vain);
  }

  #patience(): number {
    if (this.#last === null) return 0;
    const now = monotonicNow();
    const untilDue = this.#last.dueAt === null ? RENEW_MS : this.#last.dueAt - now;
    const untilRenewal = this.#remoteness === null ? RENEW_MS : (this.#last.fencedFrom - now) / 3;
    return Math.min(RENEW_MS, Math.max(this.#lull(), Math.min(untilDue, untilRenewal)));
  }
}

function isRetired(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'WORKER_RETIRED';
}

/** Nothing was reported, and there was nothing to do. */
function isInVain(
  reports: Reports,
  { claims, cancel, stop, errands, cancel_errands }: ExchangeResult,
): boolean {
  return countOf(reports) + [claims, cancel, stop, errands, cancel_errands].flat().length === 0;
}

function countOf(reports: Reports): number {
  return Object.values(reports).reduce((sum, { length }) => sum + length, 0);
}

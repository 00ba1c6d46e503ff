import type { ErrandOrder, ErrandReport, HeldErrand } from '../../contract/records/errand.ts';
import type { Capacity, Claim, ExchangeResult, FinishReport } from '../../contract/records/exchange.ts';
import { causeOf, type Outcome, outcome } from '../../core/job/outcome.ts';
import type { PostResult } from '../../core/job/post-result.ts';
import { Outbox, type Reports } from '../exchange/outbox.ts';
import type { EndedNotice, StartedNotice } from '../launcher/protocol.ts';
import { ReportReader, reportOf } from '../observe/report-reader.ts';
import { removeUserDataDirectories } from '../observe/user-data-files.ts';
import { ClaimsAtHand } from './claims-at-hand.ts';
import { isWithoutLogs, KeptAttempts, removeLogs, removeWorkDirectory } from './clean-up-attempts.ts';
import { DoubtfulEnds } from './doubtful-ends.ts';
import { ErrandRunner, errandToken, type ReportedAttempt } from './errand-runner.ts';
import { Evaluations } from './evaluations.ts';
import type { Launchers } from './launchers.ts';
import { LocatedWork } from './located-work.ts';
import type { MachineOffer } from './machine-room.ts';
import { PortBook } from './port-book.ts';
import { Signal } from './signal.ts';
import { attemptLogs, planSpawn, type SpawnSettings } from './spawn-order.ts';
import { cutOff, lostIfStopped, TAKEN, unbelieved } from './unbelieved.ts';

export interface RunnerOptions extends SpawnSettings, MachineOffer {
  /** Where relative paths of workflows are seen from; not needed where they are absolute. */
  baseDir?: string;
  /** How long ends wait for the word that the machine is being taken away, which would explain them (default: not at all). */
  holdBackMs?: number;
}

/** How everything is to end: `lost` if the machine is being taken away, so that no end is believed. */
export type Ending =
  | { how: 'stop' | 'kill' }
  /** The time for all jobs is over: attempts end as timed out. */
  | { how: 'out of time'; mostGraceMs: number }
  /** `isOutOfTime`: because the time for all jobs is over; what is cut off counts as timed out. */
  | { how: 'lost'; mostGraceMs: number; isOutOfTime: boolean };

/** How long a start may go unreported when nothing else is to be said. */
const START_REPORT_MS = 50;
/** While most of the claimed jobs are still at hand, ends are reported together: an exchange costs more than an end. */
const END_REPORT_MS = 60;
/** What has waited for so long to be believed is in no hurry. */
const LATE_REPORT_MS = 50;
/** Launches claimed jobs, watches them, and reports how they ended. Does not care who delivers the reports. */
export class AttemptRunner {
  /** Raised when there is something to report. */
  readonly wake = new Signal();
  readonly #errands: ErrandRunner;
  readonly #options: RunnerOptions;
  readonly #launchers: Launchers;
  readonly #evaluations: Evaluations;
  readonly #reader: ReportReader;
  readonly #ports = new PortBook();
  readonly #kept: KeptAttempts;
  readonly #claims: ClaimsAtHand;
  /** Live ones that wait for their condition or their ports before they are launched. */
  readonly #starting = new Set<Claim>();
  readonly #outbox = new Outbox();
  /** Reported attempts, until the engine has decided about them; with what their post script said. */
  readonly #reported = new Map<number, ReportedAttempt & { post: PostResult | null }>();
  /** Reports that are still being prepared. */
  #preparing = 0;
  /** `drain`: only what was begun is done. */
  #ending: 'no' | 'drain' | Ending['how'] = 'no';
  readonly #located: LocatedWork;
  readonly #doubtful: DoubtfulEnds;
  /** What the outcome is of attempts whose ends are not believed. */
  #unbelieved = TAKEN;

  constructor(options: RunnerOptions, launchers: Launchers) {
    this.#options = options;
    this.#claims = new ClaimsAtHand(options, {
      launch: (claim, queue) => this.#launch(claim, {}, queue),
      prepare: (claim) => void this.#prepareLaunch(claim),
      askBack: (token) => launchers.giveBack(token),
    });
    this.#launchers = launchers;
    this.#located = new LocatedWork(options.baseDir);
    this.#doubtful = new DoubtfulEnds(options.holdBackMs ?? 0);
    const { stateDir } = options;
    this.#evaluations = new Evaluations({ now: Date.now, logs: (claim) => attemptLogs(claim, stateDir) });
    this.#reader = new ReportReader(stateDir, this.#evaluations.patterns);
    this.#kept = new KeptAttempts(stateDir);
    this.#errands = new ErrandRunner({
      launchers,
      evaluations: this.#evaluations,
      settings: options,
      attempt: (token) => this.#reported.get(token),
      done: (report, token, isScript) => this.#onErrandDone(report, token, isScript),
    });
    launchers.listen({
      started: (notice) => this.onStarted(notice),
      ended: (notice) => this.onEnded(notice),
    });
  }

  /** Code will be asked for certain. */
  warm(): void {
    this.#evaluations.warm();
  }

  /** Nothing runs, and nothing is left to report. */
  get isIdle(): boolean {
    const others = this.#preparing + this.#errands.size + this.#doubtful.size + this.#outbox.urgent;
    return this.#claims.isEmpty && others === 0;
  }

  get hasNews(): boolean {
    return this.#outbox.urgent > 0;
  }

  /** What to ask for: what is free, and more where jobs are so short that slots would wait for commits. */
  capacity(): Capacity | null {
    return this.#ending === 'no' ? this.#claims.capacity() : null;
  }

  takeReports(): Reports {
    return this.#outbox.take();
  }

  /** What an attempt was claimed as, while it runs or its report is not yet decided about. */
  claimOf(token: number): Claim | undefined {
    return this.#claims.get(token) ?? this.#reported.get(token)?.claim;
  }

  /** Attempts whose logs are complete with these reports, and are kept. */
  tokensWithLogs({ finished, errands }: Reports): number[] {
    const judged = errands.flatMap(({ kind, id }) => (kind === 'post' ? this.#errands.attemptOf(id) : []));
    const tokens = [...finished.map(({ token }) => token), ...judged];
    return tokens.filter((token) => {
      const reported = this.#reported.get(token);
      return reported === undefined || !this.#isWithoutLogs(reported);
    });
  }

  /** Does what the engine answered to the reports. */
  carryOut(reports: Reports, result: ExchangeResult): void {
    const answered = this.#errands.delivered(reports.errands);
    const reported = reports.finished.map(({ token }) => token);
    this.#launchers.forget([...reported, ...reports.errands.map(({ id }) => errandToken(id))]);
    for (const token of result.rejected) this.#launchers.end(token, 'canceled', true);
    for (const order of result.errands) this.#runErrand(order);
    this.#forget([...reported, ...answered], result.errands);
    for (const token of result.cancel) this.#end(token, 'canceled');
    for (const token of result.stop) this.#end(token, 'stopped');
    for (const id of result.cancel_errands) this.#errands.cancel(id);
    this.#claims.add(result.claims.map((claim) => this.#located.work(claim)));
    if (this.#ending === 'no') this.#claims.launchNext();
    else this.#giveBackAhead();
  }

  /** Takes over an attempt that was launched before this process began, or gives it back. */
  resume(claim: Claim, isHeldByLauncher: boolean, unheld: Partial<Outcome>, startedAt: number | null): void {
    const located = this.#located.work(claim);
    this.#claims.occupy(located);
    if (!isHeldByLauncher) this.#endUnstarted(located, unheld, startedAt);
  }

  /** Takes over an attempt whose end was reported before; its errands are resumed besides. */
  resumeReported(claim: Claim, report: FinishReport): void {
    this.#reported.set(report.token, { claim: this.#located.work(claim), report, post: null });
  }

  /** Takes over an errand that was begun before this process. */
  resumeErrand(errand: HeldErrand, isHeld: boolean): void {
    if (errand.kind === 'post') this.#occupy(errand.token);
    this.#errands.resume(errand, isHeld);
  }

  /** As the launchers' own word. */
  onStarted({ token, startedAt }: StartedNotice): void {
    // Scripts beside attempts have no start of their own to report.
    const claim = this.#claims.get(token);
    if (claim === undefined) return;
    this.#reader.started(claim);
    this.#outbox.add('started', { token, started_at_ms: startedAt });
    this.wake.raiseWithin(START_REPORT_MS);
  }

  /** As the launchers' own word. */
  onEnded(notice: EndedNotice): void {
    if (this.#errands.ended(notice)) return;
    const claim = this.#claims.ended(notice);
    if (claim === undefined || claim === null) this.#launchers.forget([notice.token]);
    if (this.#ending === 'no') this.#claims.launchNext();
    else if (claim === null) this.#giveBackAhead();
    if (claim === undefined || claim === null) return;
    const report = reportOf(notice);
    this.#after(this.#reader.complete(claim, report, notice), () => this.#hold(claim, report));
  }

  /** The room of an attempt is free while its files are read; only what depends on it waits for that. */
  #after(reading: Promise<void> | null, then: () => void): void {
    if (reading === null) {
      then();
      return;
    }
    this.#preparing += 1;
    void reading.then(() => {
      this.#preparing -= 1;
      then();
    });
  }

  /** Takes nothing more, and gives back what was not begun. */
  drain(): void {
    if (this.#ending !== 'no') return;
    this.#ending = 'drain';
    this.#giveBackAhead();
    for (const { token } of this.#claims.followers()) this.#launchers.giveBack(token);
    this.wake.raise();
  }

  /** Ends what runs, with grace unless it is to be killed. What was not started is free of charge. */
  end(ending: Ending): void {
    const { how } = ending;
    if (this.#ending === 'kill') return;
    this.#ending = how;
    const now = how === 'kill';
    const grace = 'mostGraceMs' in ending ? ending.mostGraceMs : undefined;
    const why = how === 'lost' || how === 'out of time' ? how : 'stopped';
    for (const claim of this.#starting) this.#endUnstarted(claim, { stopped: true });
    // Followers first: none takes the place of what ends.
    for (const { token } of this.#claims.ordered()) this.#launchers.end(token, why, now, grace);
    if (now) this.#evaluations.kill();
    this.#giveBackAhead();
    void this.#reader.stop();
    // A script is no attempt: whoever waits for it is stopped with it, or lost.
    this.#errands.stop(now, how === 'lost' ? 'lost' : 'stopped', grace);
    if (ending.how === 'lost') {
      if (ending.isOutOfTime) this.#unbelieved = { timed_out: true };
      this.#doubtful.take();
    }
    this.wake.raise();
  }

  /** Frees what this object holds; whatever runs is the launchers' to end. */
  async close(): Promise<void> {
    this.#claims.close();
    await Promise.all([this.#evaluations.stop(), this.#reader.stop()]);
  }

  get #isStopping(): boolean {
    return this.#ending !== 'no' && this.#ending !== 'drain';
  }

  #runErrand(order: ErrandOrder): void {
    if (order.kind === 'post' && order.left === undefined) this.#occupy(order.token);
    this.#errands.run(this.#located.errand(order), this.#isStopping);
  }

  /** A post script runs in the room of its attempt. */
  #occupy(token: number): void {
    this.#claims.occupy(this.#reported.get(token)!.claim);
  }

  #onErrandDone(report: ErrandReport, token: number | null, isScript: boolean): void {
    if (report.kind === 'post' && token !== null) this.#claims.remove(token);
    if (!isScript) {
      this.#reportErrand(this.#ending === 'lost' ? lostIfStopped(report) : report, token);
      return;
    }
    const settle = (isBelieved: boolean) => this.#reportErrand(isBelieved ? report : cutOff(report), token);
    const attempt = token === null ? undefined : this.#reported.get(token);
    this.#after(this.#reader.completePost(attempt?.claim, report), () => this.#doubtful.hold(settle));
  }

  #reportErrand(report: ErrandReport, token: number | null): void {
    if (report.kind === 'post' && token !== null) {
      const attempt = this.#reported.get(token)!;
      attempt.post = report.post;
      removeWorkDirectory(attempt.claim, this.#options, report.post?.exit_code === 0);
    }
    this.#outbox.add('errands', report);
    this.wake.raise();
  }

  /** Nothing more is asked about what was reported, unless an errand about it is under way. */
  #forget(tokens: readonly number[], orders: readonly ErrandOrder[]): void {
    const asked = new Set(
      orders.flatMap((order) => (order.kind === 'post' || order.kind === 'evaluation' ? order.token : [])),
    );
    for (const token of tokens) {
      const decided = asked.has(token) ? undefined : this.#reported.get(token);
      if (decided === undefined) continue;
      this.#reported.delete(token);
      if (this.#isWithoutLogs(decided)) removeLogs(decided.claim, this.#options.stateDir);
    }
  }

  #launch(claim: Claim, ports: Record<string, number>, queue?: number): void {
    removeUserDataDirectories(claim, this.#options.stateDir);
    const plan = planSpawn(claim, ports, this.#options);
    if (plan.ok) this.#launchers.spawn(queue === undefined ? plan.order : { ...plan.order, queue });
    else this.#endUnstarted(claim, { spawn_error: plan.problem });
  }

  /** Asks the condition and takes the ports. Whoever ends the attempt meanwhile has taken it from `starting`. */
  async #prepareLaunch(claim: Claim): Promise<void> {
    this.#starting.add(claim);
    const refusal = await this.#evaluations.refusal(claim);
    if (!this.#starting.has(claim)) return;
    if (refusal !== null) {
      this.#endUnstarted(claim, refusal);
      return;
    }
    try {
      const ports = await this.#ports.take(claim.token, claim.config.ports);
      if (this.#starting.delete(claim)) this.#launch(claim, ports);
      else this.#ports.release(claim.token);
    } catch (error) {
      if (this.#starting.has(claim)) this.#endUnstarted(claim, { spawn_error: (error as Error).message });
    }
  }

  #giveBackAhead(): void {
    for (const claim of this.#claims.takeAhead()) this.#endUnstarted(claim, { stopped: true });
  }

  #end(token: number, as: 'canceled' | 'stopped'): void {
    const unstarted =
      this.#claims.takeOneAhead(token) ?? [...this.#starting].find((each) => each.token === token);
    if (unstarted !== undefined) this.#endUnstarted(unstarted, { [as]: true });
    else {
      this.#launchers.end(token, as, false);
      if (as === 'stopped') this.#errands.stopPostOf(token);
    }
  }

  #endUnstarted(claim: Claim, facts: Partial<Outcome>, startedAt: number | null = null): void {
    this.#claims.remove(claim.token);
    this.#starting.delete(claim);
    this.#report(claim, {
      token: claim.token,
      started_at_ms: startedAt,
      finished_at_ms: Date.now(),
      outcome: outcome(facts),
      usage: null,
    });
  }

  /** Its room is free, and its end is reported when it can be believed. */
  #hold(claim: Claim, report: FinishReport): void {
    this.#ports.release(claim.token);
    this.#reported.set(report.token, { claim, report, post: null });
    let isLate = false;
    this.#doubtful.hold((isBelieved) => {
      this.#report(claim, isBelieved ? report : unbelieved(report, this.#unbelieved), isLate);
    });
    isLate = true;
    // The room can be used meanwhile.
    if (this.#doubtful.size > 0 && this.#claims.isHalfStarted) this.wake.raise();
  }

  #report(claim: Claim, report: FinishReport, isLate = false): void {
    if (this.#options.keepWork === 'failed' && causeOf(report.outcome) === null) {
      this.#kept.cleanUpBefore(claim);
    }
    this.#ports.release(claim.token);
    this.#evaluations.addCondition(report);
    this.#outbox.add('finished', report);
    this.#reported.set(report.token, { claim, report, post: null });
    if (isLate) this.wake.raiseWithin(LATE_REPORT_MS);
    else if (!this.#claims.isHalfStarted) this.wake.raiseWithin(END_REPORT_MS);
    else this.wake.raise();
  }

  #isWithoutLogs({ claim, report, post }: ReportedAttempt & { post: PostResult | null }): boolean {
    return isWithoutLogs(claim, report, post);
  }
}

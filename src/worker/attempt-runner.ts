import { resolve } from 'node:path';
import type { Capacity, Claim, EvaluationOrder, ExchangeResult, FinishReport } from '../core/exchange.ts';
import { causeOf, type Outcome, outcome } from '../core/outcome.ts';
import { crashedPost, type PostResult } from '../core/post-result.ts';
import { KeptAttempts, removeWorkDirectory } from './clean-up-attempts.ts';
import { completeReport, isIncomplete } from './complete-report.ts';
import { Evaluations } from './evaluations.ts';
import type { EndedNotice, StartedNotice } from './launcher/protocol.ts';
import type { Launchers } from './launchers.ts';
import { type MachineOffer, MachineRoom } from './machine-room.ts';
import { Outbox, type Reports } from './outbox.ts';
import { PortBook } from './port-book.ts';
import { launchedTokens } from './script-tokens.ts';
import { SideScripts } from './side-scripts.ts';
import { Signal } from './signal.ts';
import { attemptLogs, planSpawn, type SpawnSettings } from './spawn-order.ts';
import { removeUserDataDirectories } from './user-data-files.ts';

export interface RunnerOptions extends SpawnSettings, MachineOffer {
  /** Where relative paths of workflows are seen from; not needed where they are absolute. */
  baseDir?: string;
}

/** How long a start may go unreported when nothing else is to be said. */
const START_REPORT_MS = 50;
/** While claimed jobs are at hand, ends are reported together: each commit waits for the disk. */
const END_REPORT_MS = 10;
/** Jobs shorter than this on average are claimed ahead, so that no slot waits for a commit. */
const SHORT_MS = 100;
/** How much is claimed ahead, in machines full of jobs. */
const AHEAD = 12;

const STOPPED = outcome({ stopped: true });
const LOST = outcome({ lost: true });

/** Has claimed jobs launched, watches them and says what became of them, whoever carries the word. */
export class AttemptRunner {
  /** Raised when there is something to tell. */
  readonly wake = new Signal();
  private readonly scripts: SideScripts;
  private readonly options: RunnerOptions;
  private readonly launchers: Launchers;
  private readonly evaluations: Evaluations;
  private readonly ports = new PortBook();
  private readonly kept: KeptAttempts;
  private readonly room: MachineRoom;
  private readonly live = new Map<number, Claim>();
  /** Claimed ahead, not yet launched. */
  private readonly ahead: Claim[] = [];
  /** Live ones that wait for their condition or their ports before they are launched. */
  private readonly starting = new Set<Claim>();
  /** Moving average of how long attempts run; null before the first has ended. */
  private meanMs: number | null = null;
  private readonly outbox = new Outbox();
  /** Reported attempts: what their scripts and code need until the engine has decided about them. */
  private readonly reported = new Map<number, { claim: Claim; report: FinishReport }>();
  /** Reports that are still being prepared. */
  private preparing = 0;
  /** `drain`: only what was begun is done. */
  private ending: 'no' | 'drain' | 'stop' | 'kill' = 'no';

  constructor(options: RunnerOptions, launchers: Launchers) {
    this.options = options;
    this.room = new MachineRoom(options);
    this.launchers = launchers;
    const { stateDir } = options;
    this.evaluations = new Evaluations({ now: Date.now, logs: (claim) => attemptLogs(claim, stateDir) });
    this.kept = new KeptAttempts(stateDir);
    this.scripts = new SideScripts(launchers, options, {
      judged: (report, post, stopped) => this.onJudged(report, post, stopped),
      recovered: (report) => this.tell('recovered', report),
      acted: (report) => this.tell('acted', report),
    });
    launchers.listen({
      started: (notice) => this.onStarted(notice),
      ended: (notice) => this.onEnded(notice),
    });
  }

  /** Code will be asked for certain. */
  warm(): void {
    this.evaluations.warm();
  }

  /** Nothing runs, and nothing is to be told. */
  get isIdle(): boolean {
    const atWork = this.live.size + this.ahead.length + this.preparing + this.scripts.size;
    return atWork + this.outbox.urgent === 0;
  }

  get hasNews(): boolean {
    return this.outbox.urgent > 0;
  }

  /** What to ask for: what is free, and more where jobs are so short that slots would wait for commits. */
  capacity(): Capacity | null {
    if (this.ending !== 'no') return null;
    const isShort = this.meanMs !== null && this.meanMs < SHORT_MS;
    return this.room.left(isShort ? 1 + AHEAD : 1, [...this.live.values(), ...this.ahead]);
  }

  takeReports(): Reports {
    return this.outbox.take();
  }

  /** What an attempt was claimed as, while it runs or its report is not yet decided about. */
  claimOf(token: number): Claim | undefined {
    return this.live.get(token) ?? this.reported.get(token)?.claim;
  }

  /** Does what the engine answered to the reports. */
  carryOut(reports: Reports, result: ExchangeResult): void {
    for (const { token } of reports.evaluated) this.evaluations.answered(token);
    this.launchers.forget(launchedTokens(reports));
    for (const token of result.rejected) this.launchers.end(token, 'canceled', true);
    this.evaluate(result.evaluate);
    this.runScripts(result);
    this.forget(reports.finished, result);
    for (const token of result.cancel) this.cancel(token);
    this.ahead.push(...result.claims.map((claim) => this.located(claim)));
    if (this.ending === 'no') this.launchNext();
    else this.giveBackAhead();
  }

  /** Goes on with an attempt that was launched before this process began, or gives it back. */
  resume(claim: Claim, isHeldByLauncher: boolean, unheld: Partial<Outcome>, startedAt: number | null): void {
    const located = this.located(claim);
    this.live.set(claim.token, located);
    if (!isHeldByLauncher) this.endUnstarted(located, unheld, startedAt);
  }

  /** Goes on with an attempt whose end was reported before, and about which more is to be heard. */
  resumeReported(
    claim: Claim,
    report: FinishReport,
    question: 'post' | EvaluationOrder,
    isPostHeld: boolean,
  ): void {
    const located = this.located(claim);
    this.reported.set(report.token, { claim: located, report });
    if (question !== 'post') {
      this.evaluate([question]);
      return;
    }
    this.live.set(report.token, located);
    if (isPostHeld) this.scripts.awaitPost(located, report);
    else this.onJudged(report, crashedPost('it was cut off when its worker was restarted'), false);
  }

  /** Goes on with a recovery script that was started before; one that nobody runs any more is lost. */
  resumeRecovery(token: number, isHeld: boolean): void {
    if (isHeld) this.scripts.awaitRecovery(token);
    else this.tell('recovered', { token, outcome: LOST });
  }

  resumeAction(actionId: number, isHeld: boolean): void {
    if (isHeld) this.scripts.awaitAction(actionId);
    else this.tell('acted', { action_id: actionId, outcome: LOST });
  }

  /** As the launchers' own word. */
  onStarted({ token, startedAt }: StartedNotice): void {
    // Scripts beside attempts have no start of their own to report.
    if (!this.live.has(token)) return;
    this.outbox.add('started', { token, started_at_ms: startedAt });
    this.wake.raiseWithin(START_REPORT_MS);
  }

  /** As the launchers' own word. */
  onEnded(notice: EndedNotice): void {
    if (this.scripts.ended(notice)) return;
    const claim = this.live.get(notice.token);
    if (claim === undefined) {
      this.launchers.forget([notice.token]);
      return;
    }
    this.live.delete(notice.token);
    if (notice.startedAt !== null) {
      const took = notice.finishedAt - notice.startedAt;
      this.meanMs = this.meanMs === null ? took : this.meanMs * 0.8 + took * 0.2;
    }
    if (this.ending === 'no') this.launchNext();
    const report: FinishReport = {
      token: notice.token,
      started_at_ms: notice.startedAt,
      finished_at_ms: notice.finishedAt,
      outcome: notice.outcome,
      usage: notice.usage,
    };
    if (!isIncomplete(claim, notice.outcome)) {
      this.report(claim, report);
      return;
    }
    this.preparing += 1;
    void completeReport(claim, report, this.options.stateDir).then(() => {
      this.preparing -= 1;
      this.report(claim, report);
    });
  }

  /** Takes nothing more, and gives back what was not begun. */
  drain(): void {
    if (this.ending !== 'no') return;
    this.ending = 'drain';
    this.giveBackAhead();
    this.wake.raise();
  }

  /** Ends what runs, with grace unless it is to be killed; it is told as stopped. */
  end(how: 'stop' | 'kill'): void {
    if (this.ending === 'kill') return;
    this.ending = how;
    for (const claim of this.starting) this.endUnstarted(claim, { stopped: true });
    for (const token of this.live.keys()) this.launchers.end(token, 'stopped', how === 'kill');
    if (how === 'kill') this.evaluations.kill();
    this.giveBackAhead();
    this.scripts.stop(how === 'kill');
    this.wake.raise();
  }

  /** Frees what this object holds; whatever runs is the launchers' to end. */
  close(): Promise<void> {
    return this.evaluations.stop();
  }

  private get isStopping(): boolean {
    return this.ending === 'stop' || this.ending === 'kill';
  }

  /** Post scripts of what has just been reported, and recovery scripts of what will be tried again. */
  private runScripts(result: ExchangeResult): void {
    for (const token of result.post) {
      const { claim, report } = this.reported.get(token)!;
      this.live.set(token, claim);
      if (!this.isStopping) this.scripts.post(claim, report);
      else this.onJudged(report, crashedPost('stopped'), true);
    }
    for (const order of result.recover) {
      const reported = this.reported.get(order.token);
      // Of an attempt that a dead worker left behind nothing is known here.
      if (reported === undefined) this.tell('recovered', { token: order.token, outcome: LOST });
      else if (!this.isStopping) this.scripts.recover(reported.claim, order);
      else this.tell('recovered', { token: order.token, outcome: STOPPED });
    }
    for (const order of result.act) {
      if (!this.isStopping) this.scripts.act(this.located(order));
      else this.tell('acted', { action_id: order.action_id, outcome: STOPPED });
    }
  }

  /** Code takes milliseconds: it is evaluated even if the worker is ending. */
  private evaluate(orders: EvaluationOrder[]): void {
    for (const order of orders) {
      this.preparing += 1;
      if (order.of === 'attempt') {
        const { claim, report } = this.reported.get(order.token)!;
        void this.evaluations.ofAttempt(order, claim, report).then((complete) => {
          this.preparing -= 1;
          this.report(claim, complete);
        });
      } else {
        void this.evaluations.ofRoute(this.withLogs(order)).then((answer) => {
          this.preparing -= 1;
          if (answer !== null) this.tell('evaluated', answer);
        });
      }
    }
  }

  /** Nothing more is asked about what was reported, unless it is being asked now. */
  private forget(finished: FinishReport[], { post, evaluate }: ExchangeResult): void {
    const asked = new Set([...post, ...evaluate.map(({ token }) => token)]);
    for (const { token } of finished) if (!asked.has(token)) this.reported.delete(token);
  }

  /** The post script has spoken; one that was stopped with the run leaves the attempt as free as that. */
  private onJudged(report: FinishReport, post: PostResult, stopped: boolean): void {
    const { claim } = this.reported.get(report.token)!;
    this.live.delete(report.token);
    const judged = stopped
      ? { ...report, outcome: { ...report.outcome, stopped: true } }
      : { ...report, post };
    removeWorkDirectory(claim, this.options, post.exitCode === 0);
    this.report(claim, judged);
  }

  private tell<K extends keyof Reports>(kind: K, report: Reports[K][number]): void {
    this.outbox.add(kind, report);
    this.wake.raise();
  }

  /** Launches what was claimed, in that order, as far as it fits now. */
  private launchNext(): void {
    for (
      let next = this.ahead[0];
      next !== undefined && this.room.fits(next, this.live.values());
      next = this.ahead[0]
    ) {
      this.ahead.shift();
      this.live.set(next.token, next);
      if (next.condition === null && next.config.ports.length === 0) this.launch(next, {});
      else void this.prepareLaunch(next);
    }
  }

  private launch(claim: Claim, ports: Record<string, number>): void {
    removeUserDataDirectories(claim, this.options.stateDir);
    const plan = planSpawn(claim, ports, this.options);
    if (plan.ok) this.launchers.spawn(plan.order);
    else this.endUnstarted(claim, { spawnError: plan.problem });
  }

  /** Asks the condition and takes the ports. Whoever ends the attempt meanwhile has taken it from `starting`. */
  private async prepareLaunch(claim: Claim): Promise<void> {
    this.starting.add(claim);
    const refusal = await this.evaluations.refusal(claim);
    if (!this.starting.has(claim)) return;
    if (refusal !== null) {
      this.endUnstarted(claim, refusal);
      return;
    }
    try {
      const ports = await this.ports.take(claim.token, claim.config.ports);
      if (this.starting.delete(claim)) this.launch(claim, ports);
      else this.ports.release(claim.token);
    } catch (error) {
      if (this.starting.has(claim)) this.endUnstarted(claim, { spawnError: (error as Error).message });
    }
  }

  private giveBackAhead(): void {
    for (const claim of this.ahead.splice(0)) this.endUnstarted(claim, { stopped: true });
  }

  private cancel(token: number): void {
    const index = this.ahead.findIndex((claim) => claim.token === token);
    const [claim] = index < 0 ? [] : this.ahead.splice(index, 1);
    const unstarted = claim ?? [...this.starting].find((each) => each.token === token);
    if (unstarted !== undefined) this.endUnstarted(unstarted, { canceled: true });
    else {
      this.launchers.end(token, 'canceled', false);
      this.scripts.cancel(token);
    }
  }

  private endUnstarted(claim: Claim, facts: Partial<Outcome>, startedAt: number | null = null): void {
    this.live.delete(claim.token);
    this.starting.delete(claim);
    this.report(claim, {
      token: claim.token,
      started_at_ms: startedAt,
      finished_at_ms: Date.now(),
      outcome: outcome(facts),
      usage: null,
    });
  }

  private report(claim: Claim, report: FinishReport): void {
    if (this.options.keepWork === 'failed' && causeOf(report.outcome) === null) {
      this.kept.cleanUpBefore(claim);
    }
    this.ports.release(claim.token);
    this.evaluations.addCondition(report);
    this.outbox.add('finished', report);
    this.reported.set(report.token, { claim, report });
    if (this.ahead.length > 0) this.wake.raiseWithin(END_REPORT_MS);
    else this.wake.raise();
  }

  private located<T extends { cwd: string; output_dir: string }>(work: T): T {
    return { ...work, cwd: this.resolve(work.cwd), output_dir: this.resolve(work.output_dir) };
  }

  private withLogs(order: EvaluationOrder): EvaluationOrder {
    if (order.logs === undefined) return order;
    const { stdout, stderr } = order.logs;
    return { ...order, logs: { stdout: this.resolve(stdout), stderr: this.resolve(stderr) } };
  }

  private resolve(path: string): string {
    const { baseDir } = this.options;
    return baseDir === undefined ? path : resolve(baseDir, path);
  }
}

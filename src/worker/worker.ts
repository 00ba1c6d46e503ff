import type { Engine } from '../core/engine.ts';
import type { Capacity, Claim, EvaluationOrder, ExchangeResult, FinishReport } from '../core/exchange.ts';
import { doesNotFit, isFitting } from '../core/fit.ts';
import { causeOf, type Outcome, outcome } from '../core/outcome.ts';
import { crashedPost, type PostResult } from '../core/post-result.ts';
import { ownIdentity } from '../engine/process-identity.ts';
import { KeptAttempts, removeWorkDirectory } from './clean-up-attempts.ts';
import { completeReport, isIncomplete } from './complete-report.ts';
import { Evaluations } from './evaluations.ts';
import type { EndedNotice, StartedNotice } from './launcher/protocol.ts';
import { Launchers } from './launchers.ts';
import { MachineRoom } from './machine-room.ts';
import { Outbox, type Reports } from './outbox.ts';
import { PortBook } from './port-book.ts';
import { SideScripts } from './side-scripts.ts';
import { Signal } from './signal.ts';
import { attemptLogs, type KeepWork, planSpawn } from './spawn-order.ts';
import { removeUserDataDirectories } from './user-data-files.ts';

export interface WorkerOptions {
  workflowId: number;
  stateDir: string;
  cpus: number;
  memoryBytes: number;
  gpus: number;
  maxParallel: number | null;
  graceMs: number;
  keepWork: KeepWork;
  site?: string;
  /** Jobs of the workflow have code that is asked whatever happens. */
  asksCode?: boolean;
}

/** `waiting`: only decisions of people are left. `follow`: another live process drives the run. */
export type WorkerEnd = 'complete' | 'waiting' | 'stopped' | 'follow';

/** Renewed three times within the lease, so that one missed renewal costs nothing. */
const RENEW_MS = 10_000;
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

/** Claims jobs of one workflow, has them launched, watches them and reports what became of them. */
export class Worker {
  private readonly engine: Engine;
  private readonly options: WorkerOptions;
  private readonly launchers: Launchers;
  private readonly scripts: SideScripts;
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
  private readonly wake = new Signal();
  private readonly outbox = new Outbox();
  /** Reported attempts: what their scripts and code need until the engine has decided about them. */
  private readonly reported = new Map<number, { claim: Claim; report: FinishReport }>();
  /** Reports that are still being prepared. */
  private preparing = 0;
  private exchanging = false;
  private ending: 'no' | 'stop' | 'kill' = 'no';

  /** `launchers` may have been started before, so that they are there when the first job is. */
  constructor(engine: Engine, options: WorkerOptions, launchers = new Launchers(options.stateDir)) {
    this.engine = engine;
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

  /** Drives the workflow until it is complete, waits for people, or is stopped. */
  async run(): Promise<WorkerEnd> {
    const { id: workerId } = await this.engine.registerWorker(ownIdentity(this.options.site));
    const unsubscribe = this.engine.onChange(() => {
      // What this worker reports is in the answer already; only news from others are worth a look.
      if (!this.exchanging) this.wake.raise();
    });
    try {
      const adoption = await this.engine.adopt(this.options.workflowId, workerId);
      if (adoption.mode === 'follow') return 'follow';
      if (this.options.asksCode) this.evaluations.warm();
      await this.launchers.start();
      const end = await this.drive(workerId);
      if (end !== 'stopped') await this.leave(workerId);
      return end;
    } finally {
      unsubscribe();
      await this.launchers.stop();
      await this.evaluations.stop();
      // A store that cannot be written has no use for this; the next run finds the dead worker by itself.
      await this.engine.retireWorker(workerId).catch(() => {});
    }
  }

  /** Ends the running attempts with grace; they are closed as stopped and run again when the run goes on. */
  stop(): void {
    this.endAll('stop');
  }

  /** The same without grace. */
  kill(): void {
    this.endAll('kill');
  }

  private async drive(workerId: number): Promise<WorkerEnd> {
    for (;;) {
      const nextDueAt = await this.exchange(workerId);
      if (this.isIdle()) {
        if (this.ending !== 'no') return 'stopped';
        const status = await this.engine.status(this.options.workflowId);
        if (status.complete) return 'complete';
        if (status.exit_code === 3) return 'waiting';
        if (nextDueAt === null && status.counts.ready > 0) await this.refuseUnfitting();
      }
      if (this.outbox.urgent === 0) await this.wake.wait(this.patience(nextDueAt));
    }
  }

  /** Does what is to be done at a worker's end, and waits for it. */
  private async leave(workerId: number): Promise<void> {
    await this.exchange(workerId, true);
    while (!this.isIdle()) {
      await this.wake.wait(RENEW_MS);
      await this.exchange(workerId, true);
    }
  }

  /** One transaction: what has started, what has ended, what to do next. */
  private async exchange(workerId: number, leaving = false): Promise<number | null> {
    const reports = this.outbox.take();
    this.exchanging = true;
    const result = await this.engine
      .exchange(workerId, {
        ...reports,
        leaving,
        capacity: this.ending === 'no' && !leaving ? this.capacity() : null,
        workflow_id: this.options.workflowId,
      })
      .finally(() => {
        this.exchanging = false;
      });
    for (const { token } of reports.evaluated) this.evaluations.answered(token);
    for (const token of result.rejected) this.launchers.end(token, 'canceled', true);
    this.evaluate(result.evaluate);
    this.runScripts(result);
    this.forget(reports.finished, result);
    for (const token of result.cancel) this.cancel(token);
    this.ahead.push(...result.claims);
    if (this.ending === 'no') this.launchNext();
    else this.giveBackAhead();
    return result.next_due_at_ms;
  }

  /** Post scripts of what has just been reported, and recovery scripts of what will be tried again. */
  private runScripts(result: ExchangeResult): void {
    for (const token of result.post) {
      const { claim, report } = this.reported.get(token)!;
      this.live.set(token, claim);
      if (this.ending === 'no') this.scripts.post(claim, report);
      else this.onJudged(report, crashedPost('stopped'), true);
    }
    for (const order of result.recover) {
      const reported = this.reported.get(order.token);
      // Of an attempt that a dead worker left behind nothing is known here.
      if (reported === undefined) this.tell('recovered', { token: order.token, outcome: LOST });
      else if (this.ending === 'no') this.scripts.recover(reported.claim, order);
      else this.tell('recovered', { token: order.token, outcome: STOPPED });
    }
    for (const order of result.act) {
      if (this.ending === 'no') this.scripts.act(order);
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
        void this.evaluations.ofRoute(order).then((answer) => {
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

  private endUnstarted(claim: Claim, facts: Partial<Outcome>): void {
    this.live.delete(claim.token);
    this.starting.delete(claim);
    this.report(claim, {
      token: claim.token,
      started_at_ms: null,
      finished_at_ms: Date.now(),
      outcome: outcome(facts),
      usage: null,
    });
  }

  private onStarted({ token, startedAt }: StartedNotice): void {
    // Scripts beside attempts have no start of their own to report.
    if (!this.live.has(token)) return;
    this.outbox.add('started', { token, started_at_ms: startedAt });
    this.wake.raiseWithin(START_REPORT_MS);
  }

  private onEnded(notice: EndedNotice): void {
    if (this.scripts.ended(notice)) return;
    const claim = this.live.get(notice.token);
    if (claim === undefined) return;
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

  private endAll(how: 'stop' | 'kill'): void {
    if (this.ending === 'kill') return;
    this.ending = how;
    for (const claim of this.starting) this.endUnstarted(claim, { stopped: true });
    for (const token of this.live.keys()) this.launchers.end(token, 'stopped', how === 'kill');
    if (how === 'kill') this.evaluations.kill();
    this.giveBackAhead();
    this.scripts.stop(how === 'kill');
    this.wake.raise();
  }

  private isIdle(): boolean {
    const atWork = this.live.size + this.ahead.length + this.preparing + this.scripts.size;
    return atWork + this.outbox.urgent === 0;
  }

  private patience(nextDueAt: number | null): number {
    return nextDueAt === null ? RENEW_MS : Math.min(RENEW_MS, Math.max(0, nextDueAt - Date.now()));
  }

  /** What to ask for: what is free, and more where jobs are so short that slots would wait for commits. */
  private capacity(): Capacity {
    const isShort = this.meanMs !== null && this.meanMs < SHORT_MS;
    return this.room.left(isShort ? 1 + AHEAD : 1, [...this.live.values(), ...this.ahead]);
  }

  /** Nothing runs, nothing waits for a time, and yet no ready job was claimed: none will ever fit. */
  private async refuseUnfitting(): Promise<void> {
    const { items } = await this.engine.listJobs(this.options.workflowId, {
      statuses: ['ready'],
      limit: 1000,
    });
    for (const job of items) {
      const { requirement } = await this.engine.getJob(this.options.workflowId, job.id);
      if (!isFitting(requirement, this.options)) throw doesNotFit(job.name, requirement, this.options);
    }
  }
}

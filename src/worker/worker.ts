import type { Capacity, Claim, Engine, FinishReport, StartReport } from '../core/engine.ts';
import { doesNotFit, isFitting } from '../core/fit.ts';
import { causeOf, type Outcome, outcome } from '../core/outcome.ts';
import { ownIdentity } from '../engine/process-identity.ts';
import { cleanUpEarlierAttempts } from './clean-up-attempts.ts';
import type { EndedNotice, StartedNotice } from './launcher/protocol.ts';
import { Launchers } from './launchers.ts';
import { Signal } from './signal.ts';
import { attemptFiles, type KeepWork, planSpawn } from './spawn-order.ts';
import { readStepOutput } from './step-output.ts';

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
}

/** `waiting`: only decisions of people are left. `follow`: another live process drives the run. */
export type WorkerEnd = 'complete' | 'waiting' | 'stopped' | 'follow';

/** Renewed three times within the lease, so that one missed renewal costs nothing. */
const RENEW_MS = 10_000;
/** How long a start may go unreported when nothing else is to be said. */
const START_REPORT_MS = 50;
/** While claimed jobs are at hand, ends are reported together: each commit waits for the disk. */
const END_REPORT_MS = 8;
/** Jobs shorter than this on average are claimed ahead, so that no slot waits for a commit. */
const SHORT_MS = 100;
/** No limit that anybody reaches. */
const MANY = 1_000_000;
/** How much is claimed ahead, in machines full of jobs. */
const AHEAD = 6;

/** Claims jobs of one workflow, has them launched, watches them and reports what became of them. */
export class Worker {
  private readonly engine: Engine;
  private readonly options: WorkerOptions;
  private readonly launchers: Launchers;
  private readonly live = new Map<number, Claim>();
  /** Claimed ahead, not yet launched. */
  private readonly ahead: Claim[] = [];
  /** Moving average of how long attempts run; null before the first has ended. */
  private meanMs: number | null = null;
  private readonly wake = new Signal();
  private started: StartReport[] = [];
  private finished: FinishReport[] = [];
  /** Ended attempts whose reports are still being prepared. */
  private preparing = 0;
  private exchanging = false;
  private ending: 'no' | 'stop' | 'kill' = 'no';

  /** `launchers` may have been started before, so that they are there when the first job is. */
  constructor(engine: Engine, options: WorkerOptions, launchers = new Launchers(options.stateDir)) {
    this.engine = engine;
    this.options = options;
    this.launchers = launchers;
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
      await this.launchers.start();
      return await this.drive(workerId);
    } finally {
      unsubscribe();
      await this.launchers.stop();
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
      if (this.finished.length === 0) await this.wake.wait(this.patience(nextDueAt));
    }
  }

  /** One transaction: what has started, what has ended, what to do next. */
  private async exchange(workerId: number): Promise<number | null> {
    const { started, finished } = this;
    this.started = [];
    this.finished = [];
    const ended = new Set(finished.map((report) => report.token));
    this.exchanging = true;
    const result = await this.engine
      .exchange(workerId, {
        started: started.filter((report) => !ended.has(report.token)),
        finished,
        capacity: this.ending === 'no' ? this.capacity() : null,
        workflow_id: this.options.workflowId,
      })
      .finally(() => {
        this.exchanging = false;
      });
    for (const token of result.rejected) this.launchers.end(token, 'canceled', true);
    for (const token of result.cancel) this.cancel(token);
    this.ahead.push(...result.claims);
    if (this.ending === 'no') this.launchNext();
    else this.giveBackAhead();
    return result.next_due_at_ms;
  }

  /** Launches what was claimed, in that order, as far as it fits now. */
  private launchNext(): void {
    for (let next = this.ahead[0]; next !== undefined && this.fits(next); next = this.ahead[0]) {
      this.ahead.shift();
      this.live.set(next.token, next);
      const plan = planSpawn(next, this.options);
      if (plan.ok) this.launchers.spawn(plan.order);
      else this.endUnstarted(next, { spawnError: plan.problem });
    }
  }

  private giveBackAhead(): void {
    for (const claim of this.ahead.splice(0)) this.endUnstarted(claim, { stopped: true });
  }

  private cancel(token: number): void {
    const index = this.ahead.findIndex((claim) => claim.token === token);
    const [claim] = index < 0 ? [] : this.ahead.splice(index, 1);
    if (claim === undefined) this.launchers.end(token, 'canceled', false);
    else this.endUnstarted(claim, { canceled: true });
  }

  private endUnstarted(claim: Claim, facts: Partial<Outcome>): void {
    this.live.delete(claim.token);
    this.report(claim, {
      token: claim.token,
      started_at_ms: null,
      finished_at_ms: Date.now(),
      outcome: outcome(facts),
      usage: null,
    });
  }

  private onStarted({ token, startedAt }: StartedNotice): void {
    this.started.push({ token, started_at_ms: startedAt });
    this.wake.raiseWithin(START_REPORT_MS);
  }

  private onEnded(notice: EndedNotice): void {
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
    if (claim.config.output === null || causeOf(notice.outcome) !== null) {
      this.report(claim, report);
      return;
    }
    this.preparing += 1;
    const { stdoutPath } = attemptFiles(claim, this.options.stateDir);
    readStepOutput(stdoutPath, claim.config.output)
      .catch((error: Error) => ({ ok: false as const, problem: `its stdout (${error.message})` }))
      .then((read) => {
        this.preparing -= 1;
        if (read.ok) report.output = read.output;
        else report.outcome = { ...report.outcome, missingOutputs: [read.problem] };
        this.report(claim, report);
      });
  }

  private report(claim: Claim, report: FinishReport): void {
    if (this.options.keepWork === 'failed' && causeOf(report.outcome) === null) {
      cleanUpEarlierAttempts(claim, this.options.stateDir);
    }
    this.finished.push(report);
    if (this.ahead.length > 0) this.wake.raiseWithin(END_REPORT_MS);
    else this.wake.raise();
  }

  private endAll(how: 'stop' | 'kill'): void {
    if (this.ending === 'kill') return;
    this.ending = how;
    for (const token of this.live.keys()) this.launchers.end(token, 'stopped', how === 'kill');
    this.giveBackAhead();
    this.wake.raise();
  }

  private isIdle(): boolean {
    return this.live.size + this.ahead.length + this.preparing + this.finished.length === 0;
  }

  private patience(nextDueAt: number | null): number {
    return nextDueAt === null ? RENEW_MS : Math.min(RENEW_MS, Math.max(0, nextDueAt - Date.now()));
  }

  /** A job without a requirement takes one CPU, or less if more may run in parallel. */
  private get defaultCpus(): number {
    const { cpus, maxParallel } = this.options;
    return maxParallel !== null && maxParallel > cpus ? cpus / maxParallel : 1;
  }

  /** What is left when `times` machines like this one run the claims. */
  private left(times: number, claims: Iterable<Claim>): Capacity {
    const { cpus, memoryBytes, gpus, maxParallel } = this.options;
    const left: Capacity = {
      cpus: cpus * times,
      memory_bytes: memoryBytes * times,
      gpus: gpus * times,
      slots: (maxParallel ?? MANY) * times,
      default_cpus: this.defaultCpus,
    };
    for (const { requirement } of claims) {
      left.slots -= 1;
      left.cpus -= requirement.cpus ?? left.default_cpus;
      left.memory_bytes -= requirement.memoryBytes ?? 0;
      left.gpus -= requirement.gpus;
    }
    return left;
  }

  /** What to ask for: what is free, and more where jobs are so short that slots would wait for commits. */
  private capacity(): Capacity {
    const isShort = this.meanMs !== null && this.meanMs < SHORT_MS;
    return this.left(isShort ? 1 + AHEAD : 1, [...this.live.values(), ...this.ahead]);
  }

  private fits({ requirement }: Claim): boolean {
    const left = this.left(1, this.live.values());
    return (
      left.slots > 0 &&
      (requirement.cpus ?? left.default_cpus) <= left.cpus + 1e-9 &&
      (requirement.memoryBytes ?? 0) <= left.memory_bytes &&
      requirement.gpus <= left.gpus
    );
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

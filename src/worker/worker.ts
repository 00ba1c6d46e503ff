import type { Capacity, Claim, Engine, FinishReport, StartReport } from '../core/engine.ts';
import { doesNotFit } from '../core/fit.ts';
import { causeOf, outcome } from '../core/outcome.ts';
import { ownIdentity } from '../engine/process-identity.ts';
import { cleanUpAttempt, type KeepWork } from './clean-up-attempt.ts';
import type { EndedNotice, StartedNotice } from './launcher/protocol.ts';
import { Launchers } from './launchers.ts';
import { Signal } from './signal.ts';
import { attemptFiles, planSpawn } from './spawn-order.ts';
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

/** Claims jobs of one workflow, has them launched, watches them and reports what became of them. */
export class Worker {
  private readonly engine: Engine;
  private readonly options: WorkerOptions;
  private readonly launchers: Launchers;
  private readonly live = new Map<number, Claim>();
  private readonly wake = new Signal();
  private started: StartReport[] = [];
  private finished: FinishReport[] = [];
  /** Ended attempts whose reports are still being prepared. */
  private preparing = 0;
  private exchanging = false;
  private ending: 'no' | 'stop' | 'kill' = 'no';

  constructor(engine: Engine, options: WorkerOptions) {
    this.engine = engine;
    this.options = options;
    this.launchers = new Launchers(
      { started: (notice) => this.onStarted(notice), ended: (notice) => this.onEnded(notice) },
      { stateDir: options.stateDir, maximum: 2 },
    );
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
    for (const token of result.cancel) this.launchers.end(token, 'canceled', false);
    for (const claim of result.claims) this.launch(claim);
    return result.next_due_at_ms;
  }

  private launch(claim: Claim): void {
    this.live.set(claim.token, claim);
    const neverStarted = { startedAt: null, finishedAt: Date.now(), usage: null };
    if (this.ending !== 'no') {
      this.onEnded({
        kind: 'ended',
        token: claim.token,
        ...neverStarted,
        outcome: outcome({ stopped: true }),
      });
      return;
    }
    const plan = planSpawn(claim, this.options);
    if (plan.ok) this.launchers.spawn(plan.order);
    else {
      const failed = outcome({ spawnError: plan.problem });
      this.onEnded({ kind: 'ended', token: claim.token, ...neverStarted, outcome: failed });
    }
  }

  private onStarted({ token, startedAt }: StartedNotice): void {
    this.started.push({ token, started_at_ms: startedAt });
    this.wake.raiseWithin(START_REPORT_MS);
  }

  private onEnded(notice: EndedNotice): void {
    const claim = this.live.get(notice.token);
    if (claim === undefined) return;
    this.live.delete(notice.token);
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
    cleanUpAttempt(claim, this.options.stateDir, causeOf(report.outcome) === null, this.options.keepWork);
    this.finished.push(report);
    this.wake.raise();
  }

  private endAll(how: 'stop' | 'kill'): void {
    if (this.ending === 'kill') return;
    this.ending = how;
    for (const token of this.live.keys()) this.launchers.end(token, 'stopped', how === 'kill');
    this.wake.raise();
  }

  private isIdle(): boolean {
    return this.live.size === 0 && this.preparing === 0 && this.finished.length === 0;
  }

  private patience(nextDueAt: number | null): number {
    return nextDueAt === null ? RENEW_MS : Math.min(RENEW_MS, Math.max(0, nextDueAt - Date.now()));
  }

  /** What is free now. A job without a requirement takes one CPU, or less if more may run in parallel. */
  private capacity(): Capacity {
    const { cpus, memoryBytes, gpus, maxParallel } = this.options;
    const default_cpus = maxParallel !== null && maxParallel > cpus ? cpus / maxParallel : 1;
    const free: Capacity = {
      cpus,
      memory_bytes: memoryBytes,
      gpus,
      slots: (maxParallel ?? Number.MAX_SAFE_INTEGER) - this.live.size,
      default_cpus,
    };
    for (const { requirement } of this.live.values()) {
      free.cpus -= requirement.cpus ?? default_cpus;
      free.memory_bytes -= requirement.memoryBytes ?? 0;
      free.gpus -= requirement.gpus;
    }
    return free;
  }

  /** Nothing runs, nothing waits for a time, and yet no ready job was claimed: none will ever fit. */
  private async refuseUnfitting(): Promise<void> {
    const { items } = await this.engine.listJobs(this.options.workflowId, { statuses: ['ready'], limit: 1 });
    const [job] = items;
    if (job === undefined) return;
    const { requirement } = await this.engine.getJob(this.options.workflowId, job.id);
    throw doesNotFit(job.name, requirement, this.options);
  }
}

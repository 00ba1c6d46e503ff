import type { Engine } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { doesNotFit, isFitting } from '../core/fit.ts';
import { ownIdentity } from '../engine/process-identity.ts';
import { AttemptRunner, type RunnerOptions } from './attempt-runner.ts';
import { Correspondence } from './correspondence.ts';
import { Launchers } from './launchers.ts';
import { LogSender } from './log-sender.ts';
import { Tenure } from './tenure.ts';

export interface RunWorkerOptions extends RunnerOptions {
  workflowId: number;
  site?: string;
  /** Jobs of the workflow have code that is asked whatever happens. */
  asksCode?: boolean;
  /** The engine is elsewhere: logs are sent to it, and a network that fails is put up with. */
  sendLogs?: boolean;
  narrate?(line: string): void;
}

/** `waiting`: only decisions of people are left. `follow`: another live process drives the run. */
export type RunEnd = 'complete' | 'waiting' | 'stopped' | 'follow';

/** How long an engine elsewhere may take to hear the last reports of a worker that was told to end. */
const LAST_WORDS_MS = 10_000;

/** Claims jobs of one workflow until it is complete. What it started dies with it. */
export class RunWorker {
  private readonly engine: Engine;
  private readonly options: RunWorkerOptions;
  private readonly correspondence: Correspondence | null;
  private launchers: Launchers;
  private runner: AttemptRunner;
  private isEnding = false;

  /** `launchers` may have been started before, so that they are there when the first job is. */
  constructor(engine: Engine, options: RunWorkerOptions, launchers = new Launchers(options.stateDir)) {
    this.engine = engine;
    this.options = options;
    const narrate = options.narrate ?? (() => {});
    this.correspondence = options.sendLogs ? new Correspondence(narrate) : null;
    this.launchers = launchers;
    this.runner = new AttemptRunner(options, launchers);
  }

  /** Drives the workflow until it is complete, waits for people, or is stopped. */
  async run(): Promise<RunEnd> {
    for (;;) {
      try {
        return await this.serve();
      } catch (error) {
        const isRetired = error instanceof HoldfastError && error.code === 'WORKER_RETIRED';
        if (!isRetired || this.correspondence === null || this.isEnding) throw error;
        // The lease was over before it could be renewed; others may have the jobs by now.
        this.options.narrate?.(`${error.message}; registering anew`);
        this.launchers = new Launchers(this.options.stateDir);
        this.runner = new AttemptRunner(this.options, this.launchers);
      }
    }
  }

  /** Ends the running attempts with grace; they are closed as stopped and run again when the run goes on. */
  stop(): void {
    this.isEnding = true;
    this.runner.end('stop');
    this.correspondence?.giveUpWithin(this.options.graceMs + LAST_WORDS_MS);
  }

  /** The same without grace. */
  kill(): void {
    this.isEnding = true;
    this.runner.end('kill');
    this.correspondence?.giveUpWithin(LAST_WORDS_MS);
  }

  private async serve(): Promise<RunEnd> {
    const { engine, options, runner, launchers } = this;
    const { workflowId, site, cpus, memoryBytes, gpus, asksCode } = options;
    const identity = ownIdentity({ ...(site && { site }), cpus, memory_bytes: memoryBytes, gpus });
    const { id: workerId } = await this.insist(() => engine.registerWorker(identity));
    const tenure = this.tenure(workerId);
    const unsubscribe = tenure.listen();
    try {
      const { shared } = await this.insist(() => engine.getWorkflow(workflowId));
      // What is shared has no driver: it is claimed beside others.
      if (!shared && (await engine.adopt(workflowId, workerId)).mode === 'follow') return 'follow';
      if (asksCode) runner.warm();
      await launchers.start();
      const end = await this.drive(tenure, shared);
      if (end !== 'stopped') await tenure.leave();
      return end;
    } finally {
      unsubscribe();
      tenure.close();
      await launchers.stop();
      await runner.close();
      // A store that cannot be written has no use for this; the next run finds the dead worker by itself.
      await engine.retireWorker(workerId).catch(() => {});
    }
  }

  private tenure(workerId: number): Tenure {
    const { engine, runner, launchers, correspondence } = this;
    const { workflowId, stateDir } = this.options;
    const remoteness = correspondence && {
      correspondence,
      logs: new LogSender(engine, workerId, stateDir, (token) => runner.claimOf(token)),
      seq: 0,
    };
    return new Tenure(engine, workerId, { runner, launchers }, { workflowId, remoteness });
  }

  private async drive(tenure: Tenure, isShared: boolean): Promise<RunEnd> {
    for (;;) {
      const { next_due_at_ms } = await tenure.exchange();
      if (this.runner.isIdle) {
        if (this.isEnding) return 'stopped';
        const status = await this.insist(() => this.engine.status(this.options.workflowId));
        if (status.complete) return 'complete';
        if (status.exit_code === 3) return 'waiting';
        // Where others work too, one of them may have the room.
        if (!isShared && next_due_at_ms === null && status.counts.ready > 0) await this.refuseUnfitting();
      }
      await tenure.rest();
    }
  }

  private insist<T>(ask: () => Promise<T>): Promise<T> {
    return this.correspondence === null ? ask() : this.correspondence.insist(ask);
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

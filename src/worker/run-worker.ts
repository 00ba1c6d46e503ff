import { join, resolve } from 'node:path';
import type { Engine } from '../contract/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { refusalOf } from '../core/placement/fit.ts';
import { ownIdentity } from '../host/process-identity.ts';
import { ExchangeSender } from './exchange/exchange-sender.ts';
import { isGivenUp } from './exchange/refusals.ts';
import { WorkerSession } from './exchange/worker-session.ts';
import { AttemptRunner, type RunnerOptions } from './execute/attempt-runner.ts';
import { Launchers } from './execute/launchers.ts';
import { killOrphans } from './launcher/kill/kill-orphans.ts';
import { LogSender } from './observe/log-sender.ts';

export interface RunWorkerOptions extends RunnerOptions {
  workflowId: number;
  /** It claims jobs whose every label is among them (default: none, and only jobs without labels). */
  labels?: string[];
  /** Jobs of the workflow have code that is asked whatever happens. */
  asksCode?: boolean;
  /** The engine is elsewhere: logs are sent to it, and a network that fails is put up with. */
  sendLogs?: boolean;
  /** How long it keeps its jobs without contact (default: 30 s). */
  leaseMs?: number;
  /** When its jobs have to be over: it takes none that would run longer, and leaves when no other is left. */
  endsAtMs?: number;
  narrate?(line: string): void;
}

/**
 * `complete`: here or by another process. `waiting`: only decisions of people are left. `follow`: another live process drives the run. `out_of_time`: what is left
 * takes longer than there is time.
 */
export type RunEnd = 'complete' | 'waiting' | 'stopped' | 'out_of_time' | 'follow';

/** How long an engine elsewhere may take to hear the last reports of a worker that was asked to end. */
const LAST_WORDS_MS = 10_000;

/** Claims jobs of one workflow until it is complete. What it started dies with it. */
export class RunWorker {
  readonly #engine: Engine;
  readonly #options: RunWorkerOptions;
  readonly #sender: ExchangeSender | null;
  #launchers: Launchers;
  #runner: AttemptRunner;
  #isEnding = false;

  /** `launchers` may have been started before, so that they are there when the first job is. */
  constructor(engine: Engine, options: RunWorkerOptions, launchers = new Launchers(options.stateDir)) {
    this.#engine = engine;
    this.#options = options;
    const narrate = options.narrate ?? (() => {});
    this.#sender = options.sendLogs ? new ExchangeSender(narrate) : null;
    this.#launchers = launchers;
    this.#runner = new AttemptRunner(options, launchers);
  }

  /** Drives the workflow until it is complete, waits for people, or is stopped. */
  async run(): Promise<RunEnd> {
    for (;;) {
      try {
        return await this.#serve();
      } catch (error) {
        if (!isGivenUp(error) || this.#sender === null || this.#isEnding) throw error;
        // Such as a lease that was over before it could be renewed; others may have the jobs by now.
        this.#options.narrate?.(`${error.message}; registering anew`);
        this.#launchers = new Launchers(this.#options.stateDir);
        this.#runner = new AttemptRunner(this.#options, this.#launchers);
      }
    }
  }

  /** Ends the running attempts with grace; they are closed as stopped and run again when the run is resumed. */
  stop(): void {
    this.#isEnding = true;
    this.#runner.end({ how: 'stop' });
    this.#sender?.giveUpWithin(this.#options.graceMs + LAST_WORDS_MS);
  }

  /** The same without grace. */
  kill(): void {
    this.#isEnding = true;
    this.#runner.end({ how: 'kill' });
    this.#sender?.giveUpWithin(LAST_WORDS_MS);
  }

  async #serve(): Promise<RunEnd> {
    const [engine, options, runner, launchers] = [this.#engine, this.#options, this.#runner, this.#launchers];
    const { workflowId, site, labels, cpus, memoryBytes, gpus, maxParallel, leaseMs, asksCode } = options;
    const identity = ownIdentity({
      ...(site && { site }),
      ...(labels !== undefined && { labels }),
      ...(maxParallel !== null && { max_parallel: maxParallel }),
      ...(leaseMs !== undefined && { lease_ms: leaseMs }),
      cpus,
      memory_bytes: memoryBytes,
      gpus,
      directory: resolve(options.stateDir),
      ...(options.endsAtMs !== undefined && { time_left_ms: Math.max(0, this.#timeLeftMs()!) }),
    });
    const { id: workerId } = await this.#insist(() => engine.registerWorker(identity));
    this.#sender?.continueAfter(0);
    const session = this.#session(workerId);
    const unsubscribe = session.listen();
    try {
      const { shared } = await this.#insist(() => engine.getWorkflow(workflowId));
      // What is shared has no driver: it is claimed beside others.
      const adoption = shared ? 'drive' : await this.#adopt(workerId);
      if (adoption !== 'drive') return adoption;
      if (asksCode) runner.warm();
      await launchers.start();
      const end = await this.#drive(session, shared);
      if (end !== 'stopped') await session.leave();
      return end;
    } finally {
      unsubscribe();
      session.close();
      await launchers.stop();
      await runner.close();
      // A store that cannot be written has no use for this; the next run finds the dead worker by itself.
      await engine.retireWorker(workerId).catch(() => {});
    }
  }

  /** `complete`: another process has ended the run since this one looked. */
  async #adopt(workerId: number): Promise<'drive' | 'follow' | 'complete'> {
    const { workflowId, stateDir } = this.#options;
    try {
      const adoption = await this.#engine.adopt(workflowId, workerId);
      // Before anything is started: no two attempts of a job live at the same time.
      if (adoption.mode === 'drive' && adoption.lost > 0)
        await killOrphans(join(stateDir, 'work'), workflowId);
      return adoption.mode;
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'WORKFLOW_COMPLETE') return 'complete';
      throw error;
    }
  }

  #session(workerId: number): WorkerSession {
    const [engine, runner, launchers, sender] = [this.#engine, this.#runner, this.#launchers, this.#sender];
    const { workflowId, stateDir } = this.#options;
    const remoteness = sender && {
      sender,
      logs: new LogSender(engine, workerId, stateDir, (token) => runner.claimOf(token)),
    };
    const place = { workflowId, drivesRun: true, remoteness, timeLeftMs: () => this.#timeLeftMs() };
    return new WorkerSession(engine, workerId, { runner, launchers }, place);
  }

  /** Until the first of its jobs is ended, with grace; null: they have all the time they need. */
  #timeLeftMs(): number | null {
    const { endsAtMs, graceMs } = this.#options;
    return endsAtMs === undefined ? null : endsAtMs - graceMs - Date.now();
  }

  async #drive(session: WorkerSession, isShared: boolean): Promise<RunEnd> {
    for (;;) {
      const { next_due_at_ms } = await session.exchange();
      if (this.#runner.isIdle) {
        if (this.#isEnding) return 'stopped';
        const status = await this.#insist(() => this.#engine.status(this.#options.workflowId));
        // What is left is not to be started, if that is what is left.
        if (status.complete || status.exit_code === 0 || status.exit_code === 1) return 'complete';
        if (status.workflow.paused?.stopping === true) return 'stopped';
        if (status.exit_code === 3) return 'waiting';
        // Where others work too, one of them may have the room.
        const mayStart = !isShared && status.workflow.paused === null;
        if (mayStart && next_due_at_ms === null && status.counts.ready > status.held.ready) {
          await this.#refuseUnfitting();
          if (this.#timeLeftMs() !== null) return 'out_of_time';
        }
      }
      await session.rest();
    }
  }

  #insist<T>(ask: () => Promise<T>): Promise<T> {
    return this.#sender === null ? ask() : this.#sender.insist(ask);
  }

  /** Nothing runs, nothing waits for a time, and yet no ready job was claimed: none will ever fit. */
  async #refuseUnfitting(): Promise<void> {
    const { items } = await this.#engine.listJobs(this.#options.workflowId, {
      status: ['ready'],
      limit: 1000,
    });
    const { cpus, memoryBytes: memory_bytes, gpus, maxParallel: max_parallel, labels = [] } = this.#options;
    const offer = { cpus, memory_bytes, gpus, max_parallel, labels };
    for (const job of items) {
      const { requirement } = await this.#engine.getJob(this.#options.workflowId, job.id);
      const refusal = refusalOf(job.name, requirement, offer);
      if (refusal !== undefined) throw refusal;
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../core/engine.ts';
import { type ErrorCode, HoldfastError } from '../core/errors.ts';
import type { ResumedWorker, WorkerIdentity } from '../core/exchange.ts';
import { ownIdentity } from '../engine/process-identity.ts';
import { AttemptRunner, type RunnerOptions } from './attempt-runner.ts';
import { Correspondence } from './correspondence.ts';
import type { EndedNotice, Holdings, StartedNotice } from './launcher/protocol.ts';
import { Launchers } from './launchers.ts';
import { LogSender } from './log-sender.ts';
import { lockState } from './state-lock.ts';
import { takeOver } from './take-over.ts';
import { Tenure } from './tenure.ts';
import { readWorkerState, removeWorkerState, writeWorkerState } from './worker-state.ts';

export interface ServiceWorkerOptions extends RunnerOptions {
  baseDir: string;
  site?: string;
  labels: string[];
  drainTimeoutMs: number;
  /** How long the server may take to hear the last reports after everything has ended; 10 s unless told. */
  lastWordsMs?: number;
  /** What the server is called; a worker goes on only with the one that it worked for. */
  server?: string;
  /** Tells people what it does. */
  log(line: string): void;
}

/** The engine has given the worker up, or never knew it. */
const GIVEN_UP = new Set<ErrorCode>(['WORKER_RETIRED', 'WORKER_NOT_FOUND', 'STALE_EXCHANGE']);

const LAST_WORDS_MS = 10_000;
/** The same for somebody in a hurry, and for the farewell. */
const HASTE_MS = 3_000;

/**
 * Works for a server: claims jobs of any shared workflow until it is told to leave. When its process dies its
 * launchers live on as long as the lease lasts, and the next process in the same state directory takes over.
 */
export class ServiceWorker {
  private readonly engine: Engine;
  private readonly options: ServiceWorkerOptions;
  private readonly correspondence: Correspondence;
  private readonly identity: WorkerIdentity;
  private runner: AttemptRunner | null = null;
  private ending: 'no' | 'drain' | 'stop' | 'kill' = 'no';
  private drainTimer: NodeJS.Timeout | undefined;
  /** Something was ended that had not ended by itself. */
  private hasCutOff = false;

  constructor(engine: Engine, options: ServiceWorkerOptions) {
    this.engine = engine;
    this.options = options;
    this.correspondence = new Correspondence(options.log);
    const { site, labels, cpus, memoryBytes, gpus } = options;
    this.identity = ownIdentity({
      ...(site !== undefined && { site }),
      labels,
      kind: 'service',
      cpus,
      memory_bytes: memoryBytes,
      gpus,
    });
  }

  /** Resolves when it has left; `stopped` if that cut jobs off. They run again elsewhere, free of charge. */
  async run(): Promise<'drained' | 'stopped'> {
    const release = lockState(this.options.stateDir);
    try {
      for (;;) {
        const end = await this.serve();
        if (end !== 'anew') return end;
      }
    } finally {
      clearTimeout(this.drainTimer);
      release();
    }
  }

  /** Takes nothing more, lets running jobs end, and leaves; what still runs after the time for it is stopped. */
  drain(): void {
    if (this.ending !== 'no') return;
    this.ending = 'drain';
    this.options.log('draining: running jobs may end, nothing more is taken');
    this.drainTimer = setTimeout(() => this.stop(), this.options.drainTimeoutMs);
    this.endRunner();
  }

  /** Ends running jobs with grace, and leaves. */
  stop(): void {
    if (this.ending === 'stop' || this.ending === 'kill') return;
    this.ending = 'stop';
    this.options.log('stopping the running jobs');
    this.endRunner();
  }

  /** The same without grace. */
  kill(): void {
    if (this.ending === 'kill') return;
    this.ending = 'kill';
    this.options.log('killing the running jobs');
    this.endRunner();
  }

  private get lastWordsMs(): number {
    return this.options.lastWordsMs ?? LAST_WORDS_MS;
  }

  private endRunner(): void {
    if (this.runner === null) {
      // Nothing was taken yet, so that nobody need hear of it.
      this.correspondence.giveUpWithin(0);
    } else if (this.ending === 'drain') {
      this.runner.drain();
      if (this.runner.isIdle) this.correspondence.giveUpWithin(this.lastWordsMs);
    } else if (this.ending !== 'no') {
      this.hasCutOff ||= !this.runner.isIdle;
      this.runner.end(this.ending);
      const isHasty = this.ending === 'kill';
      this.correspondence.giveUpWithin(isHasty ? HASTE_MS : this.options.graceMs + this.lastWordsMs);
    }
  }

  /** From one registration to its end. `anew`: the server has given the worker up, and would take another. */
  private async serve(): Promise<'drained' | 'stopped' | 'anew'> {
    const launchers = new Launchers(this.options.stateDir, undefined, true);
    let workerId: number | null = null;
    try {
      const begun = await this.begin(launchers);
      if (begun === null) return 'anew';
      const { runner, tenure } = begun;
      workerId = begun.workerId;
      this.runner = runner;
      if (this.ending !== 'no') this.endRunner();
      await launchers.start();
      return await this.work(runner, tenure);
    } catch (error) {
      return this.endOf(error);
    } finally {
      const { runner } = this;
      this.runner = null;
      await launchers.stop();
      await runner?.close();
      if (workerId !== null) await this.sayFarewell(workerId);
    }
  }

  /** As the worker that it was, or as a new one; null if what the old one left had to be ended first. */
  private async begin(
    launchers: Launchers,
  ): Promise<{ workerId: number; runner: AttemptRunner; tenure: Tenure } | null> {
    const { engine, options } = this;
    const { stateDir } = options;
    // Heard before it is known what they are about.
    const early: (StartedNotice | EndedNotice)[] = [];
    launchers.listen({ started: (notice) => early.push(notice), ended: (notice) => early.push(notice) });
    const holdings = await launchers.inherit();
    const resumed = await this.resume();
    if (resumed === null) {
      removeWorkerState(stateDir);
      if (sizeOf(holdings) > 0) {
        options.log(`ending ${sizeOf(holdings)} that an earlier worker left here`);
        return null;
      }
    }
    const worker =
      resumed?.worker ?? (await this.correspondence.insist(() => engine.registerWorker(this.identity)));
    writeWorkerState(stateDir, { worker_id: worker.id, server: options.server ?? '' });
    const runner = new AttemptRunner(options, launchers);
    if (resumed !== null) {
      takeOver(runner, launchers, holdings, resumed, stateDir);
      for (const notice of early) {
        if (notice.kind === 'started') runner.onStarted(notice);
        else runner.onEnded(notice);
      }
    }
    const logs = new LogSender(engine, worker.id, stateDir, (token) => runner.claimOf(token));
    const remoteness = { correspondence: this.correspondence, logs, seq: resumed?.seq ?? 0 };
    options.log(
      resumed === null
        ? `worker ${worker.id} is ready`
        : `worker ${worker.id} goes on with ${resumed.held.length} running`,
    );
    const tenure = new Tenure(engine, worker.id, { runner, launchers }, { remoteness });
    return { workerId: worker.id, runner, tenure };
  }

  /** null if there is nothing to go on with, or the server has given it up. */
  private async resume(): Promise<ResumedWorker | null> {
    const state = readWorkerState(this.options.stateDir);
    if (state === null || state.server !== (this.options.server ?? '')) return null;
    try {
      return await this.correspondence.insist(() => this.engine.resumeWorker(state.worker_id, this.identity));
    } catch (error) {
      if (isGivenUp(error)) return null;
      throw error;
    }
  }

  private async work(runner: AttemptRunner, tenure: Tenure): Promise<'drained' | 'stopped'> {
    const unsubscribe = tenure.listen();
    try {
      for (;;) {
        const { drain } = await tenure.exchange();
        if (drain) this.drain();
        if (this.ending !== 'no' && runner.isIdle) break;
        await tenure.rest();
      }
      if (this.ending === 'drain') await tenure.leave();
      return this.hasCutOff ? 'stopped' : 'drained';
    } finally {
      unsubscribe();
      tenure.close();
    }
  }

  private endOf(error: unknown): 'anew' | 'drained' | 'stopped' {
    const { log } = this.options;
    if (isGivenUp(error)) {
      log(`${error.message}; everything it runs is ended`);
      removeWorkerState(this.options.stateDir);
      return this.ending === 'no' ? 'anew' : 'stopped';
    }
    if (!this.correspondence.hasGivenUp) throw error;
    if (this.runner === null) return 'drained';
    log('the server does not answer; jobs whose end it has not heard of it will take back');
    return 'stopped';
  }

  private async sayFarewell(workerId: number): Promise<void> {
    // What the server does not hear it finds out when the lease is over.
    const retired = this.engine.retireWorker(workerId).catch(() => {});
    await Promise.race([retired, sleep(HASTE_MS, undefined, { ref: false })]);
    removeWorkerState(this.options.stateDir);
  }
}

function isGivenUp(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && GIVEN_UP.has(error.code);
}

function sizeOf({ waiting, started, ended }: Holdings): number {
  return waiting.length + started.length + ended.length;
}

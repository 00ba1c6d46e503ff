import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../contract/engine.ts';
import type { ResumedWorker, WorkerIdentity } from '../contract/records/exchange.ts';
import { causeOf } from '../core/job/outcome.ts';
import { formatDuration } from '../core/text/quantity.ts';
import { holdsState, lockState } from '../host/state-lock.ts';
import { AllocationClock } from './allocation-clock.ts';
import { ExchangeSender } from './exchange/exchange-sender.ts';
import { emptyReports } from './exchange/outbox.ts';
import { isGivenUp } from './exchange/refusals.ts';
import { takeOver } from './exchange/take-over.ts';
import { WorkerSession } from './exchange/worker-session.ts';
import {
  type KnownWorker,
  readWorkerState,
  removeWorkerState,
  writeWorkerState,
} from './exchange/worker-state.ts';
import { AttemptRunner, type Ending } from './execute/attempt-runner.ts';
import { Launchers } from './execute/launchers.ts';
import type { EndedNotice, Holdings, StartedNotice } from './launcher/protocol.ts';
import { LogSender } from './observe/log-sender.ts';
import { HASTE_MS, isMoreUrgent, lastWordsOf, planEnding, type ServiceEnding } from './plan-ending.ts';
import {
  type AllocationPlace,
  type ServiceWorkerOptions,
  serviceIdentity,
  withAllocation,
} from './service-options.ts';

/** A server that is being restarted answers again by then. */
const REACH_WITHIN_MS = 60_000;
/** Longer ones would be due at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Works for a server: claims jobs of any shared workflow until it is asked to leave. When its process dies its
 * launchers live on as long as the lease lasts, and the next process in the same state directory takes over.
 */
export class ServiceWorker {
  readonly #engine: Engine;
  readonly #options: ServiceWorkerOptions;
  readonly #sender: ExchangeSender;
  readonly #identity: WorkerIdentity;
  #runner: AttemptRunner | null = null;
  readonly #clock: AllocationClock | null;
  #ending: ServiceEnding = 'no';
  /** Runs while there is nothing to do, also while the server does not answer. */
  #idleTimer: NodeJS.Timeout | undefined;
  #drainTimer: NodeJS.Timeout | undefined;
  /** Something was ended that had not ended by itself. */
  #hasCutOff = false;

  constructor(engine: Engine, options: ServiceWorkerOptions) {
    this.#engine = engine;
    this.#options = withAllocation(options);
    this.#sender = new ExchangeSender(options.log);
    const { allocation } = options;
    this.#clock = allocation === undefined ? null : this.#clockOf(allocation);
    this.#identity = serviceIdentity(options);
  }

  /** Resolves when it has left; `stopped` if that cut jobs off. They run again elsewhere, free of charge. */
  async run(): Promise<'drained' | 'stopped'> {
    const { stateDir } = this.#options;
    let release = lockState(stateDir);
    try {
      await this.#clock?.start();
      for (;;) {
        const end = await this.#serve();
        if (end !== 'anew') return end;
        // Another worker may have come here after the directory was removed: two of them would replace each other.
        if (!holdsState(stateDir)) release = lockState(stateDir);
      }
    } finally {
      clearTimeout(this.#drainTimer);
      this.#endWatch();
      this.#clock?.stop();
      release();
    }
  }

  /** Takes nothing more, lets running jobs end, and leaves; what still runs after the time for it is stopped. */
  drain(): void {
    if (this.#ending !== 'no') return;
    this.#leave('draining: running jobs may end, nothing more is taken');
    this.#drainTimer = setTimeout(() => this.stop(), this.#options.drainTimeoutMs);
  }

  /** Ends running jobs with grace, and leaves. */
  stop(): void {
    this.#end('stop', 'stopping the running jobs');
  }

  /** The same without grace. */
  kill(): void {
    this.#end('kill', 'killing the running jobs');
  }

  /**
   * The allocation is being ended, and its jobs with it: no end is believed from now on, nor one of the last moment.
   * Leaves within the time that the cluster gives.
   */
  lose(): void {
    this.#end('lost', 'the allocation is being ended, and its jobs are lost');
  }

  #leave(why: string): void {
    if (this.#ending !== 'no') return;
    this.#ending = 'drain';
    this.#options.log(why);
    this.#endRunner();
  }

  /** Only what is more urgent changes anything. */
  #end(how: Ending['how'], why: string): void {
    if (!isMoreUrgent(how, this.#ending)) return;
    this.#ending = how;
    this.#options.log(why);
    this.#endRunner();
  }

  #endRunner(): void {
    if (this.#runner === null) {
      // Nothing was taken yet, so that nobody need hear of it.
      this.#sender.giveUpWithin(0);
    } else if (this.#ending === 'drain') {
      this.#runner.drain();
      if (this.#runner.isIdle) this.#sender.giveUpWithin(lastWordsOf(this.#options));
    } else if (this.#ending !== 'no') {
      this.#hasCutOff ||= !this.#runner.isIdle;
      const isOver = this.#clock?.isOver === true;
      const { ending, wordsMs } = planEnding(this.#ending, this.#options, isOver);
      this.#runner.end(ending);
      this.#sender.giveUpWithin(wordsMs);
    }
  }

  #clockOf({ own, ...times }: AllocationPlace): AllocationClock {
    return new AllocationClock(
      { ...times, endsAt: () => own.endsAt() },
      {
        stopTaking: () =>
          this.#leave('the allocation ends soon: running jobs may end, nothing more is taken'),
        endJobs: () =>
          this.#end('out of time', 'the time of the allocation is over: ending the running jobs'),
      },
    );
  }

  /** From one registration to its end. `anew`: the server has given the worker up, and would take another. */
  async #serve(): Promise<'drained' | 'stopped' | 'anew'> {
    // Nobody comes after the worker of an allocation.
    const isLasting = this.#options.allocation === undefined;
    const launchers = new Launchers(this.#options.stateDir, undefined, isLasting);
    let workerId: number | null = null;
    this.#watchIdleness(this.#options.reachWithinMs ?? REACH_WITHIN_MS);
    try {
      const begun = await this.#begin(launchers);
      if (begun === null) return 'anew';
      const { runner, session } = begun;
      if (!runner.isIdle) this.#endWatch();
      workerId = begun.workerId;
      this.#runner = runner;
      if (this.#ending !== 'no') this.#endRunner();
      await launchers.start();
      return await this.#work(runner, session);
    } catch (error) {
      return this.#endOf(error);
    } finally {
      const runner = this.#runner;
      this.#runner = null;
      await launchers.stop();
      await runner?.close();
      if (workerId !== null) await this.#sayFarewell(workerId);
    }
  }

  /** As the worker that it was, or as a new one; null if what the old one left had to be ended first. */
  async #begin(
    launchers: Launchers,
  ): Promise<{ workerId: number; runner: AttemptRunner; session: WorkerSession } | null> {
    const [engine, options] = [this.#engine, this.#options];
    const { stateDir } = options;
    // Heard before it is known what they are about.
    const early: (StartedNotice | EndedNotice)[] = [];
    launchers.listen({ started: (notice) => early.push(notice), ended: (notice) => early.push(notice) });
    const holdings = await launchers.inherit();
    const known = this.#knownWorker();
    const resumed = known && (await this.#resume(known, holdings, launchers));
    if (resumed === null) {
      removeWorkerState(stateDir);
      if (sizeOf(holdings) > 0) {
        options.log(`ending ${sizeOf(holdings)} that an earlier worker left here`);
        return null;
      }
    }
    if (resumed === null) await this.#sender.pause(Math.random() * (options.startWithinMs ?? 0));
    const worker =
      resumed === null
        ? await this.#sender.insist(() => engine.registerWorker(this.#currentIdentity()))
        : { ...resumed.worker, secret: known!.secret };
    writeWorkerState(stateDir, { worker_id: worker.id, secret: worker.secret, server: options.server ?? '' });
    const runner = new AttemptRunner(options, launchers);
    if (resumed !== null) {
      takeOver(runner, launchers, holdings, resumed, stateDir);
      for (const notice of early) {
        if (notice.kind === 'started') runner.onStarted(notice);
        else runner.onEnded(notice);
      }
    }
    const logs = new LogSender(engine, worker.id, stateDir, (token) => runner.claimOf(token));
    const remoteness = { sender: this.#sender, logs };
    this.#sender.continueAfter(resumed?.seq ?? 0);
    options.log(
      resumed === null
        ? `worker ${worker.id} is ready`
        : `worker ${worker.id} resumes with ${resumed.held.length} running`,
    );
    const { workflowId } = options;
    const place = {
      ...(workflowId !== undefined && { workflowId }),
      timeLeftMs: () => this.#clock?.timeLeftMs ?? null,
      remoteness,
    };
    const session = new WorkerSession(engine, worker.id, { runner, launchers }, place);
    return { workerId: worker.id, runner, session };
  }

  #currentIdentity(): WorkerIdentity {
    const left = this.#clock?.timeLeftMs ?? null;
    return left === null ? this.#identity : { ...this.#identity, time_left_ms: left };
  }

  /** The worker of this directory, if it worked for the same server. */
  #knownWorker(): KnownWorker | null {
    const state = readWorkerState(this.#options.stateDir);
    return state === null || state.server !== (this.#options.server ?? '') ? null : state;
  }

  /** null if the server has given the worker up. What it left here lives on until then, or until its lease ends. */
  async #resume(
    { worker_id: id, secret }: KnownWorker,
    { ended }: Holdings,
    launchers: Launchers,
  ): Promise<ResumedWorker | null> {
    try {
      return await this.#sender.insist(
        () => this.#engine.resumeWorker({ id, secret }, this.#currentIdentity()),
        () => launchers.pids.launchers.length > 0,
      );
    } catch (error) {
      if (!isGivenUp(error)) throw error;
      await this.#deliverLate(id, ended);
      return null;
    }
  }

  /** The worker that this was has been given up; successes that it could not report are still taken. */
  async #deliverLate(workerId: number, ended: readonly EndedNotice[]): Promise<void> {
    const finished = ended
      .filter(({ token, outcome }) => token > 0 && causeOf(outcome) === null)
      .map(({ token, startedAt, finishedAt, outcome, usage }) => {
        return { token, started_at_ms: startedAt, finished_at_ms: finishedAt, outcome, usage };
      });
    if (finished.length === 0) return;
    const exchange = { ...emptyReports(), finished, capacity: null };
    try {
      await this.#sender.exchange(this.#engine, workerId, exchange);
    } catch (error) {
      if (!isGivenUp(error)) throw error;
    }
  }

  async #work(runner: AttemptRunner, session: WorkerSession): Promise<'drained' | 'stopped'> {
    const unsubscribe = session.listen();
    try {
      for (let answers = 1; ; answers += 1) {
        const { drain, over } = await session.exchange();
        // From here on its idle time counts.
        if (answers === 1) this.#endWatch();
        if (drain) this.drain();
        this.#leaveIfUseless(runner, over === true);
        if (this.#ending !== 'no' && runner.isIdle) break;
        await session.rest();
      }
      if (this.#ending === 'drain') await session.leave();
      return this.#hasCutOff ? 'stopped' : 'drained';
    } finally {
      unsubscribe();
      session.close();
    }
  }

  #leaveIfUseless(runner: AttemptRunner, isOver: boolean): void {
    const { stays, workflowId } = this.#options;
    if (!runner.isIdle) {
      this.#endWatch();
      return;
    }
    this.#watchIdleness();
    if (isOver && stays !== true)
      this.#leave(`nothing more is to be done for workflow ${workflowId}: leaving`);
  }

  /** Leaves if nothing to do comes in time. A server that does not answer brings nothing either. */
  #watchIdleness(leastMs = 0): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#idleTimer !== undefined) return;
    const wait = Math.max(idleMs, leastMs);
    const leave = () => this.#leave(`nothing to do for ${formatDuration(wait)}: leaving`);
    this.#idleTimer = setTimeout(leave, Math.min(wait, LONGEST_TIMER_MS));
  }

  #endWatch(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  #endOf(error: unknown): 'anew' | 'drained' | 'stopped' {
    const { log } = this.#options;
    if (isGivenUp(error)) {
      log(`${error.message}; everything it runs is ended`);
      removeWorkerState(this.#options.stateDir);
      return this.#ending === 'no' ? 'anew' : 'stopped';
    }
    if (!this.#sender.hasGivenUp) {
      if (this.#ending !== 'lost') throw error;
      // Such as launchers that were about to start when the allocation was ended: nothing is wrong with the worker.
      log((error as Error).message);
      return 'stopped';
    }
    if (this.#runner === null) return 'drained';
    log('the server does not answer; jobs whose end it has not heard of it will take back');
    return 'stopped';
  }

  async #sayFarewell(workerId: number): Promise<void> {
    // What the server does not hear it finds out when the lease is over.
    const retired = this.#engine.retireWorker(workerId).catch(() => {});
    await Promise.race([retired, sleep(HASTE_MS, undefined, { ref: false })]);
    removeWorkerState(this.#options.stateDir);
  }
}

function sizeOf({ waiting, started, ended }: Holdings): number {
  return waiting.length + started.length + ended.length;
}

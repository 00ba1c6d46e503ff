import { allPages } from '../../core/all-pages.ts';
import type { Engine } from '../../core/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { WorkflowStatus } from '../../core/records.ts';
import { Launchers } from '../../worker/launchers.ts';
import { RunWorker } from '../../worker/run-worker.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { recoveryText } from '../output/recovery-text.ts';
import type { Progress } from '../progress/progress.ts';
import { startProgress } from '../progress/start-progress.ts';
import { workerOptions } from '../run/worker-options.ts';
import { Wakeups } from '../wakeups.ts';
import { recoverFailures } from './recover-failures.ts';
import type { Recovery } from './recovery.ts';
import type { RecoveryFlags } from './recovery-flags.ts';

export interface WatchOptions {
  workflowId: number;
  /** null: only follow. */
  recovery: RecoveryFlags | null;
  maxRounds: number;
  exitWhenWaiting: boolean;
  /** Runs it here where nobody else does; otherwise workers of a server are waited for. */
  drives: boolean;
}

/**
 * Follows a workflow to its end, whoever runs it. With recovery it is run here where nobody else does and no server has
 * workers for it, and what failed is recovered each time the run is complete or only waits for decisions, as often as the rounds allow.
 */
export class WatchRun {
  private readonly context: CommandContext;
  private readonly engine: Engine;
  private readonly options: WatchOptions;
  private readonly interrupted = new AbortController();
  private readonly rounds = { known: 0, agent: 0 };
  /** Failures about which nothing could be done, by job and attempt. */
  private readonly givenUp = new Set<string>();
  private progress: Progress | null = null;
  private worker: RunWorker | null = null;
  private told = '';

  constructor(context: CommandContext, engine: Engine, options: WatchOptions) {
    this.context = context;
    this.engine = engine;
    this.options = options;
  }

  /** The last state of the workflow; null if it was interrupted. */
  async run(): Promise<WorkflowStatus | null> {
    const stopListening = onInterrupt((count) => this.interrupt(count));
    const wakeups = new Wakeups(this.engine, this.interrupted.signal);
    try {
      while (!this.interrupted.signal.aborted) {
        const status = await this.engine.status(this.options.workflowId);
        const next = await this.step(status);
        if (next === 'end') return status;
        if (next === 'wait') await wakeups.next();
      }
      return null;
    } finally {
      wakeups.stop();
      stopListening();
      await this.pause();
    }
  }

  private async step(status: WorkflowStatus): Promise<'end' | 'wait' | 'again'> {
    const { recovery, exitWhenWaiting } = this.options;
    const [driver] = status.workers;
    if (status.exit_code === null) return this.follow(status);
    if (status.exit_code === 0) return 'end';
    if (recovery !== null) {
      // Its process is about to leave, and nothing can be begun before it has.
      if (driver !== undefined) return 'wait';
      try {
        if (await this.recover(status, recovery)) return 'again';
      } catch (error) {
        // Somebody else has begun to run it meanwhile.
        if (!(error instanceof HoldfastError && error.code === 'RUN_ACTIVE')) throw error;
        return 'wait';
      }
    }
    if (status.complete || exitWhenWaiting) return 'end';
    const { id } = status.workflow;
    const jobs = `${status.counts.pending_failed} ${status.counts.pending_failed === 1 ? 'job waits' : 'jobs wait'}`;
    await this.tell(
      status,
      `${jobs} for a decision: ${this.context.command('resolve', id)}; Ctrl-C stops watching`,
    );
    return 'wait';
  }

  private async follow(status: WorkflowStatus): Promise<'wait' | 'again'> {
    const [driver] = status.workers;
    if (driver !== undefined) {
      await this.tell(status, `process ${driver.pid} on ${driver.host} runs it; Ctrl-C only stops following`);
    } else if (!this.options.drives) {
      const lent = this.context.server === null ? [] : ['--with-worker'];
      const run = this.context.command('run', status.workflow.id, ...lent);
      await this.tell(status, `nobody runs this workflow; ${run} goes on with it`);
    } else {
      await this.drive(status);
      return 'again';
    }
    return 'wait';
  }

  /** With a worker in this process, until the run is complete, waits for decisions, or is stopped. */
  private async drive(status: WorkflowStatus): Promise<void> {
    this.progress ??= await startProgress(this.engine, status.workflow, this.context);
    const options = workerOptions(this.context, status.workflow.id);
    const launchers = new Launchers(options.stateDir);
    this.worker = new RunWorker(this.engine, options, launchers);
    try {
      if (!this.interrupted.signal.aborted) await this.worker.run();
    } catch (error) {
      // Somebody canceled what was left before the first job was claimed.
      if (!(error instanceof HoldfastError && error.code === 'WORKFLOW_COMPLETE')) throw error;
    } finally {
      this.worker = null;
      void launchers.stop();
    }
  }

  /** True if there is something to run again. */
  private async recover(status: WorkflowStatus, flags: RecoveryFlags): Promise<boolean> {
    const { workflowId, maxRounds } = this.options;
    const failures = await this.failures(status);
    if (failures.every((each) => this.givenUp.has(each))) return false;
    await this.pause();
    const signal = this.interrupted.signal;
    if (this.rounds.known < maxRounds) {
      const recovery = await recoverFailures(this.context, this.engine, workflowId, flags, signal, {
        agent: false,
      });
      if (this.settle(recovery, 'known')) return true;
      if (recovery === null) return this.giveUp(failures);
    }
    if (this.rounds.agent < maxRounds && flags.agent !== null && status.counts.pending_failed > 0) {
      this.narrate(`asking ${flags.agent.name} about ${status.counts.pending_failed} failures`);
      const recovery = await recoverFailures(this.context, this.engine, workflowId, flags, signal, {
        known: false,
      });
      if (this.settle(recovery, 'agent')) return true;
    }
    return this.giveUp(failures);
  }

  /** Counts the round and tells what it did; false if it did nothing. */
  private settle(recovery: Recovery | null, by: 'known' | 'agent'): boolean {
    if (recovery === null) return false;
    const { result, agent } = recovery;
    if (result.retried.length === 0 && agent === null) return false;
    this.rounds[by] += 1;
    const { stderr, errorPaint } = this.context;
    const style = {
      width: stderr.isTTY ? stderr.columns || 80 : Number.POSITIVE_INFINITY,
      now: Date.now(),
      paint: errorPaint,
      cwd: process.cwd(),
    };
    for (const line of recoveryText({ ...recovery, next: null }, style)) this.narrate(line);
    return result.mode !== 'nothing' || (agent?.decisions.length ?? 0) > 0;
  }

  private giveUp(failures: string[]): false {
    for (const failure of failures) this.givenUp.add(failure);
    return false;
  }

  private async failures({ workflow, complete }: WorkflowStatus): Promise<string[]> {
    const statuses = complete ? (['failed', 'terminated'] as const) : (['pending_failed'] as const);
    const jobs = await allPages((page) =>
      this.engine.listJobs(workflow.id, { ...page, statuses: [...statuses] }),
    );
    return jobs.map(({ id, run_id, attempt_id }) => `${id} r${run_id} a${attempt_id}`);
  }

  private interrupt(count: number): void {
    this.interrupted.abort();
    if (this.worker === null) return;
    if (count === 1) {
      this.worker.stop();
      this.progress?.note('stopping the running jobs; press Ctrl-C again to kill them');
    } else {
      this.worker.kill();
      this.progress?.note('killing the running jobs');
    }
  }

  private async tell(status: WorkflowStatus, text: string): Promise<void> {
    this.progress ??= await startProgress(this.engine, status.workflow, this.context);
    if (this.told === text) return;
    this.told = text;
    this.progress.note(text);
  }

  private narrate(line: string): void {
    if (this.context.settings.output !== 'quiet') this.context.narrate(line);
  }

  private async pause(): Promise<void> {
    const { progress } = this;
    this.progress = null;
    await progress?.stop();
  }
}

import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { WorkflowStatus } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { pausedBy } from '../../views/pause-text.ts';
import { Launchers } from '../../worker/execute/launchers.ts';
import { RunWorker } from '../../worker/run-worker.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { recallSettings, useSettings } from '../options/run-settings.ts';
import type { Progress } from '../progress/progress.ts';
import { startProgress } from '../progress/start-progress.ts';
import { isUnansweredFarewell, waitOutOutages } from '../run/outages.ts';
import { runDueActions } from '../run/run-due-actions.ts';
import { stoppingText } from '../run/stopping-text.ts';
import { workerOptions } from '../run/worker-options.ts';
import type { AutoSchedule } from '../slurm/auto-schedule.ts';
import { hintCommand } from '../texts/parts/hint-command.ts';
import { recoveryView } from '../texts/recovery-text.ts';
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
  /** Runs it here if no other process does; otherwise waits for workers of a server. */
  drives: boolean;
  /** What the worker of this process has, where it drives. */
  labels: string[];
  /** Orders allocations for jobs that have none; null: nobody does. */
  autoSchedule: AutoSchedule | null;
}

/**
 * Follows a workflow to its end, wherever it runs. With recovery it is run here where nobody else does and no server has
 * workers for it, and what failed is recovered each time the run is complete or only waits for decisions, as often as the rounds allow.
 */
export class WatchRun {
  readonly #context: CommandContext;
  readonly #engine: Engine;
  readonly #options: WatchOptions;
  readonly #interrupted = new AbortController();
  readonly #rounds = { known: 0, agent: 0 };
  /** Failures about which nothing could be done, by job and attempt. */
  readonly #givenUp = new Set<string>();
  #progress: Progress | null = null;
  /** While jobs run here. */
  #driven: { worker: RunWorker; graceMs: number } | null = null;
  #noted = '';

  constructor(context: CommandContext, engine: Engine, options: WatchOptions) {
    this.#context = context;
    this.#engine = engine;
    this.#options = options;
  }

  /** The last state of the workflow; null if it was interrupted. */
  async run(): Promise<WorkflowStatus | null> {
    const stopListening = onInterrupt((count) => this.#interrupt(count));
    const wakeups = new Wakeups(this.#engine, this.#interrupted.signal);
    const stopWaiting = waitOutOutages(this.#context, this.#engine, (line) => this.#note(line));
    this.#interrupted.signal.addEventListener('abort', stopWaiting);
    try {
      while (!this.#interrupted.signal.aborted) {
        const status = await this.#engine.status(this.#options.workflowId);
        const next = await this.#step(status);
        if (next === 'end') return status;
        if (next === 'wait') await wakeups.next();
      }
      return null;
    } catch (error) {
      if (!isUnansweredFarewell(error, this.#interrupted.signal)) throw error;
      return null;
    } finally {
      stopWaiting();
      wakeups.stop();
      stopListening();
      await this.#pause();
    }
  }

  async #step(status: WorkflowStatus): Promise<'end' | 'wait' | 'again'> {
    const { recovery, exitWhenWaiting } = this.#options;
    const [driver] = status.workers;
    if (status.exit_code === null) {
      const line = (await this.#options.autoSchedule?.look(status, Date.now())) ?? null;
      if (line !== null) this.#note(line);
      return this.#follow(status);
    }
    if (this.#options.drives && driver === undefined && status.actions_due > 0) {
      await runDueActions(this.#context, this.#engine, status.workflow.id);
      return 'again';
    }
    if (status.exit_code === 0) return 'end';
    if (recovery !== null) {
      // Its process is about to leave, and nothing can be begun before it has.
      if (driver !== undefined) return 'wait';
      try {
        if (await this.#recover(status, recovery)) return 'again';
      } catch (error) {
        // Another process has begun to run it meanwhile.
        if (!(error instanceof HoldfastError && error.code === 'RUN_ACTIVE')) throw error;
        return 'wait';
      }
    }
    if (status.complete || status.exit_code === 1 || exitWhenWaiting) return 'end';
    const { id } = status.workflow;
    const jobs = `${status.counts.pending_failed} ${status.counts.pending_failed === 1 ? 'job waits' : 'jobs wait'}`;
    await this.#noteOnce(
      status,
      `${jobs} for a decision: ${hintCommand({ kind: 'resolve', workflow: id }, this.#context)}; Ctrl-C stops watching`,
    );
    return 'wait';
  }

  async #follow(status: WorkflowStatus): Promise<'wait' | 'again'> {
    const [driver] = status.workers;
    const paused = pausedBy(status.workflow);
    if (paused !== null && (driver === undefined || driver.kind === 'service')) {
      const resume = this.#context.command('resume', status.workflow.id);
      await this.#noteOnce(status, `${paused}; ${resume} resumes it`);
    } else if (driver !== undefined) {
      await this.#noteOnce(
        status,
        `process ${driver.pid} on ${driver.host} runs it; Ctrl-C only stops following`,
      );
    } else if (!this.#options.drives || status.workflow.executor !== 'workers') {
      await this.#noteOnce(status, this.#unservedText(status.workflow));
    } else {
      await this.#drive(status);
      return 'again';
    }
    return 'wait';
  }

  /** What to do about a workflow that no worker runs now. */
  #unservedText({ id, executor, shared }: WorkflowStatus['workflow']): string {
    const { server, command } = this.#context;
    if (executor === 'slurm' && server !== null) {
      return `no worker is there yet; ${command('slurm', 'allocations', id)} shows what Slurm is asked for`;
    }
    const resume = command('run', id, ...(server === null ? [] : ['--with-worker']));
    if (server === null || !shared) return `no process runs this workflow; ${resume} resumes it`;
    const workers = command('workers', 'list');
    return `no worker runs a job of this workflow now; ${workers} shows the workers, ${resume} lends this machine`;
  }

  /** With a worker in this process, until the run is complete, waits for decisions, or is stopped. */
  async #drive(status: WorkflowStatus): Promise<void> {
    const { labels } = this.#options;
    const given = { labels, site: null };
    // What is said of it belongs above the progress, and is said once.
    const { settings, offer } =
      this.#progress === null
        ? await useSettings(this.#context, this.#engine, status.workflow, given)
        : recallSettings(this.#context, given, status.workflow);
    this.#progress ??= await startProgress(this.#engine, status.workflow, this.#context, true);
    const options = workerOptions({ ...this.#context, settings }, status.workflow.id, offer);
    const launchers = new Launchers(options.stateDir);
    const worker = new RunWorker(this.#engine, options, launchers);
    this.#driven = { worker, graceMs: settings.grace };
    try {
      if (!this.#interrupted.signal.aborted) await worker.run();
    } finally {
      this.#driven = null;
      void launchers.stop();
    }
  }

  /** True if there is something to run again. */
  async #recover(status: WorkflowStatus, flags: RecoveryFlags): Promise<boolean> {
    const { workflowId, maxRounds } = this.#options;
    const failures = await this.#failures(status);
    if (failures.every((each) => this.#givenUp.has(each))) return false;
    await this.#pause();
    const signal = this.#interrupted.signal;
    if (this.#rounds.known < maxRounds) {
      const recovery = await recoverFailures(this.#context, this.#engine, workflowId, flags, signal, {
        agent: false,
      });
      if (this.#settle(recovery, 'known')) return true;
      if (recovery === null) return this.#giveUp(failures);
    }
    if (this.#rounds.agent < maxRounds && flags.agent !== null && status.counts.pending_failed > 0) {
      this.#narrate(`asking ${flags.agent.name} about ${status.counts.pending_failed} failures`);
      const recovery = await recoverFailures(this.#context, this.#engine, workflowId, flags, signal, {
        known: false,
      });
      if (this.#settle(recovery, 'agent')) return true;
    }
    return this.#giveUp(failures);
  }

  /** Counts the round and prints what it did; false if it did nothing. */
  #settle(recovery: Recovery | null, by: 'known' | 'agent'): boolean {
    if (recovery === null) return false;
    const { result, agent } = recovery;
    if (result.retried.length === 0 && agent === null) return false;
    this.#rounds[by] += 1;
    const { stderr, errorPaint, command } = this.#context;
    const style = {
      width: stderr.isTTY ? stderr.columns || 80 : Number.POSITIVE_INFINITY,
      now: Date.now(),
      paint: errorPaint,
      cwd: process.cwd(),
      command,
    };
    for (const line of recoveryView.table({ ...recovery, next: null }, style)) this.#narrate(line);
    return result.mode !== 'nothing' || (agent?.decisions.length ?? 0) > 0;
  }

  #giveUp(failures: string[]): false {
    for (const failure of failures) this.#givenUp.add(failure);
    return false;
  }

  async #failures({ workflow, complete }: WorkflowStatus): Promise<string[]> {
    const statuses = complete ? (['failed', 'terminated'] as const) : (['pending_failed'] as const);
    const jobs = await allPages((page) =>
      this.#engine.listJobs(workflow.id, { ...page, status: [...statuses] }),
    );
    return jobs.map(({ id, run_id, attempt_id }) => `${id} r${run_id} a${attempt_id}`);
  }

  #interrupt(count: number): void {
    this.#interrupted.abort();
    if (this.#driven === null) return;
    const { worker, graceMs } = this.#driven;
    if (count === 1) {
      worker.stop();
      void stoppingText(this.#engine, this.#options.workflowId, graceMs).then((text) => this.#note(text));
    } else {
      worker.kill();
      this.#note('killing the running jobs');
    }
  }

  async #noteOnce(status: WorkflowStatus, text: string): Promise<void> {
    this.#progress ??= await startProgress(this.#engine, status.workflow, this.#context, true);
    if (this.#noted === text) return;
    this.#noted = text;
    this.#progress.note(text);
  }

  #note(line: string): void {
    if (this.#progress === null) this.#context.narrate(line);
    else this.#progress.note(line);
  }

  #narrate(line: string): void {
    if (this.#context.settings.output !== 'quiet') this.#context.narrate(line);
  }

  async #pause(): Promise<void> {
    const progress = this.#progress;
    this.#progress = null;
    await progress?.stop();
  }
}

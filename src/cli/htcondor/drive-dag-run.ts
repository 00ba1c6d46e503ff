import type { ServedEngine } from '../../contract/engine.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import type { RunDriver } from '../../contract/run-engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { pausedBy } from '../../views/pause-text.ts';
import type { RunStory } from '../../views/run-story.ts';
import { isStopped } from '../../views/workflow-state.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { notifyOf } from '../notify/run-notifier.ts';
import { userName } from '../options/user-name.ts';
import type { Progress } from '../progress/progress.ts';
import { startProgress } from '../progress/start-progress.ts';
import { collectRunResult } from '../run/run-result.ts';
import { runResultView } from '../texts/run-result-text.ts';
import { needDagman } from './need-dagman.ts';
import { pauseUnless } from './pause-unless.ts';
import { runDriver } from './run-driver.ts';

const INTERRUPTED = 130;
/** While DAGMan runs it, other processes may change the workflow; a look costs little. */
const LOOK_MS = 1_000;

/**
 * Has a workflow run by DAGMan without a server: this process submits it, follows it and reads it back. Ctrl-C removes the
 * DAGMan and keeps what is done. Returns the exit code.
 */
export async function driveDagRun(
  context: CommandContext,
  engine: ServedEngine,
  workflow: WorkflowRecord,
  story: RunStory,
): Promise<number> {
  needDagman();
  const drive = new DagRunDrive(context, engine, workflow.id);
  const notifier = await notifyOf(context, engine, { workflow_id: workflow.id });
  const progress = await startProgress(engine, workflow, context);
  const stopListening = onInterrupt((count) => void drive.interrupt(count, progress));
  try {
    await drive.untilEnd(progress);
  } finally {
    await drive.leave();
    await progress.stop();
    stopListening();
  }
  const status = await engine.status(workflow.id);
  context.show(runResultView, await collectRunResult(engine, status, context.settings.output, story));
  await notifier.finish();
  return drive.wasInterrupted ? INTERRUPTED : (status.exit_code ?? INTERRUPTED);
}

class DagRunDrive {
  wasInterrupted = false;
  readonly #context: CommandContext;
  readonly #engine: ServedEngine;
  readonly #id: number;
  readonly #driver: RunDriver;
  readonly #waking = new AbortController();
  readonly #leaving = new AbortController();
  #noted = '';

  constructor(context: CommandContext, engine: ServedEngine, id: number) {
    this.#context = context;
    this.#engine = engine;
    this.#id = id;
    this.#driver = runDriver(context, { workflow: id });
  }

  /** The first Ctrl-C stops the run, the second leaves DAGMan as it is. */
  async interrupt(count: number, progress: Progress): Promise<void> {
    this.wasInterrupted = true;
    if (count > 1) {
      this.#leaving.abort();
      return;
    }
    progress.note(
      'stopping: DAGMan is removed, finished jobs are kept. Press Ctrl-C again to leave it running',
    );
    try {
      await this.#engine.stopWorkflow(this.#id, { actor: userName(), reason: 'interrupted' });
    } catch (error) {
      // It has ended, or was stopped, meanwhile.
      if (!(error instanceof HoldfastError)) throw error;
    }
    this.#waking.abort();
  }

  /** Until the run has ended or was stopped and nothing of it is in the queue, or Ctrl-C is pressed twice. */
  async untilEnd(progress: Progress): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      const { wait_ms, open } = await this.#engine.tendRuns(this.#driver);
      const status = await this.#engine.status(this.#id);
      if (open === 0 && status.exit_code !== null) return;
      if (open === 0 && isStopped(status)) {
        this.wasInterrupted = true;
        return;
      }
      const paused = pausedBy(status.workflow);
      const isHeld = paused !== null && status.workflow.paused?.stopping === false;
      const resume = `${paused}; ${this.#context.command('resume', this.#id)} resumes it`;
      this.#note(isHeld ? resume : '', progress);
      const { signal } = this.wasInterrupted ? this.#leaving : this.#waking;
      await pauseUnless(signal, Math.min(wait_ms, LOOK_MS));
    }
  }

  async leave(): Promise<void> {
    await this.#engine.leaveRuns(this.#driver);
  }

  #note(text: string, progress: Progress): void {
    if (text !== this.#noted && text !== '') progress.note(text);
    this.#noted = text;
  }
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SlurmCluster } from '../../clusters/slurm/slurm-cluster.ts';
import { allPages } from '../../contract/all-pages.ts';
import type { ServedEngine } from '../../contract/engine.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { lockState } from '../../host/state-lock.ts';
import { readVersion } from '../../mcp/read-version.ts';
import { type RunningServer, startServer } from '../../server/start-server.ts';
import { pausedBy } from '../../views/pause-text.ts';
import type { RunStory } from '../../views/run-story.ts';
import { isStopped } from '../../views/workflow-state.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { notifyOf } from '../notify/run-notifier.ts';
import { userName } from '../options/user-name.ts';
import type { Progress } from '../progress/progress.ts';
import { startProgress } from '../progress/start-progress.ts';
import { followRun } from '../run/follow-run.ts';
import { collectRunResult } from '../run/run-result.ts';
import { runResultView } from '../texts/run-result-text.ts';
import { Wakeups } from '../wakeups.ts';
import { createAllocator } from './create-allocator.ts';
import { sharedDirectory, slurmDirectory, workerUrl } from './reach-server.ts';
import { usingFiles } from './using-files.ts';
import { workerTokenFile } from './worker-token.ts';

const INTERRUPTED = 130;
/** Workers leave by themselves when nothing is left to do; what is still there after so long is canceled. */
const LEAVE_MS = 5_000;
/** How long the cluster may take to end allocations that are no longer needed. */
const FAREWELL_MS = 30_000;
const LOOK_MS = 200;

/** Where this process listens for the workers of its allocations. */
export interface Listen {
  host: string;
  /** null: the one that it had before, or one that is free. */
  port: number | null;
}

/**
 * Runs a workflow in allocations of Slurm without a server elsewhere: this process asks for them and serves their
 * workers until the run has ended. Ctrl-C stops the run and cancels its allocations. Returns the exit code.
 */
export async function driveSlurmRun(
  context: CommandContext,
  engine: ServedEngine,
  workflow: WorkflowRecord,
  story: RunStory,
  listen: Listen,
): Promise<number> {
  const drive = new SlurmDrive(context, engine, workflow);
  const server = await drive.serve(listen);
  const progress = await startProgress(engine, workflow, context);
  const stopListening = onInterrupt((count) => void drive.interrupt(count, progress));
  try {
    if (server === null) await drive.follow(progress);
    else {
      await drive.untilEnd(progress);
      await drive.dismissAllocations(progress);
    }
  } finally {
    await progress.stop();
    await server?.stop();
    stopListening();
  }
  const status = await engine.status(workflow.id);
  context.show(runResultView, await collectRunResult(engine, status, context.settings.output, story));
  if (server !== null) await (await notifyOf(context, engine, { workflow_id: workflow.id })).finish();
  return drive.wasInterrupted ? INTERRUPTED : (status.exit_code ?? INTERRUPTED);
}

class SlurmDrive {
  wasInterrupted = false;
  readonly #context: CommandContext;
  readonly #engine: ServedEngine;
  readonly #workflow: WorkflowRecord;
  readonly #leaving = new AbortController();
  #isFollowing = false;

  constructor(context: CommandContext, engine: ServedEngine, workflow: WorkflowRecord) {
    this.#context = context;
    this.#engine = engine;
    this.#workflow = workflow;
  }

  /** null: another process does. */
  async serve({ host, port }: Listen): Promise<{ stop(): Promise<void> } | null> {
    const stateDir = await sharedDirectory(this.#context, this.#engine);
    const directory = join(slurmDirectory(stateDir), `workflow-${this.#workflow.id}`);
    const release = await usingFiles(directory, () => lockOf(directory));
    if (release === null) return null;
    try {
      const portFile = join(directory, 'port');
      const server = await this.#listen(stateDir, host, port ?? readPort(portFile), port !== null);
      // Workers that outlive this process look for the next one at the same port.
      writeFileSync(portFile, `${new URL(server.url).port}\n`);
      return {
        async stop() {
          await server.stop();
          release();
        },
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** On the port that was asked for, else on the one of before, else on any. */
  async #listen(
    stateDir: string,
    host: string,
    port: number | null,
    isWanted: boolean,
  ): Promise<RunningServer> {
    try {
      return await this.#start(stateDir, host, port ?? 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      if (!isWanted) return this.#start(stateDir, host, 0);
      const problem = `${port} is in use already`;
      throw new HoldfastError('INVALID_ARGUMENT', { argument: '--port', problem });
    }
  }

  #start(stateDir: string, host: string, port: number): Promise<RunningServer> {
    const tokenFile = join(slurmDirectory(stateDir), 'token');
    return startServer(this.#engine, {
      host,
      port,
      auth: 'token',
      version: readVersion(),
      allowHosts: [hostname()],
      logLevel: 'silent',
      allocator: (url) =>
        createAllocator(new SlurmCluster(), this.#context, this.#workflow.id, {
          url: workerUrl(url, host),
          stateDir,
          tokenFile: () => workerTokenFile(this.#engine, tokenFile),
        }),
    });
  }

  /** The first Ctrl-C stops the run, the second leaves at once. */
  async interrupt(count: number, progress: Progress): Promise<void> {
    this.wasInterrupted = true;
    if (this.#isFollowing || count > 1) {
      this.#leaving.abort();
      return;
    }
    progress.note('stopping the running jobs and canceling the allocations; Ctrl-C again leaves them');
    try {
      await this.#engine.stopWorkflow(this.#workflow.id, { actor: userName(), reason: 'interrupted' });
    } catch (error) {
      // It has ended, or was stopped, meanwhile.
      if (!(error instanceof HoldfastError)) throw error;
    }
  }

  async follow(progress: Progress): Promise<void> {
    this.#isFollowing = true;
    progress.note('another process runs it; Ctrl-C only stops following');
    const hasEnded = await followRun(this.#engine, this.#workflow.id, this.#leaving.signal, progress);
    this.wasInterrupted ||= !hasEnded;
  }

  /** Until the run has ended, waits for a decision or was stopped, or Ctrl-C is pressed twice. */
  async untilEnd(progress: Progress): Promise<void> {
    const { signal } = this.#leaving;
    const wakeups = new Wakeups(this.#engine, signal);
    let noted = '';
    try {
      while (!signal.aborted) {
        const status = await this.#engine.status(this.#workflow.id);
        if (status.exit_code !== null && status.actions_due === 0) return;
        if (isStopped(status)) {
          this.wasInterrupted = true;
          return;
        }
        const paused = pausedBy(status.workflow);
        const isHeld = paused !== null && status.workflow.paused?.stopping === false;
        const resume = this.#context.command('resume', this.#workflow.id);
        const text = isHeld ? `${paused}; ${resume} resumes it` : '';
        if (text !== noted && text !== '') progress.note(text);
        noted = text;
        await wakeups.next();
      }
    } finally {
      wakeups.stop();
    }
  }

  /** Nobody serves their workers any more. */
  async dismissAllocations(progress: Progress): Promise<void> {
    const began = performance.now();
    await this.#drainWorkers();
    for (;;) {
      const left = await this.#allocations();
      if (left.length === 0) return;
      const waited = performance.now() - began;
      const isOver = ({ state, cancel_reason }: (typeof left)[number]) =>
        cancel_reason === null && (state !== 'running' || waited > LEAVE_MS);
      const words = { actor: userName(), reason: 'the run has ended' };
      for (const { id } of left.filter(isOver)) {
        await this.#quietly(this.#engine.cancelAllocation(id, words));
      }
      if (this.#leaving.signal.aborted || waited > FAREWELL_MS) {
        const list = this.#context.command('slurm', 'allocations', this.#workflow.id);
        progress.note(`${left.length} allocations have not ended yet; ${list} lists them`);
        return;
      }
      await pause(LOOK_MS);
    }
  }

  /** They would find out by themselves when they next ask. */
  async #drainWorkers(): Promise<void> {
    const ids = new Set((await this.#allocations()).map(({ id }) => id));
    const workers = await allPages((query) => this.#engine.listWorkers(query));
    for (const { id, state, allocation_id } of workers) {
      if (state !== 'active' || allocation_id === null || !ids.has(allocation_id)) continue;
      await this.#quietly(this.#engine.drainWorker(id, { actor: userName() }));
    }
  }

  async #allocations() {
    const all = await allPages((query) =>
      this.#engine.listAllocations({ ...query, workflow_id: this.#workflow.id }),
    );
    return all.filter(({ state }) => state !== 'ended');
  }

  /** What has left or ended meanwhile need not be asked to. */
  async #quietly(asked: Promise<unknown>): Promise<void> {
    try {
      await asked;
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
    }
  }
}

/** null: another process has it. */
function lockOf(directory: string): (() => void) | null {
  try {
    return lockState(directory);
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'WORKER_ACTIVE') return null;
    throw error;
  }
}

function readPort(path: string): number | null {
  if (!existsSync(path)) return null;
  const port = Number(readFileSync(path, 'utf8'));
  return Number.isInteger(port) && port > 0 ? port : null;
}

import type { Engine } from '../../contract/engine.ts';
import type { WorkerRecord, WorkflowRecord } from '../../contract/records/records.ts';
import { pausedBy } from '../../views/pause-text.ts';
import type { RunStory } from '../../views/run-story.ts';
import { visibleText } from '../../views/visible-text.ts';
import { isStopped } from '../../views/workflow-state.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import type { Progress } from '../progress/progress.ts';
import { startProgress } from '../progress/start-progress.ts';
import { hintCommand } from '../texts/parts/hint-command.ts';
import { runResultView } from '../texts/run-result-text.ts';
import { Wakeups } from '../wakeups.ts';
import { isUnansweredFarewell, waitOutOutages } from './outages.ts';
import { collectRunResult } from './run-result.ts';

const INTERRUPTED = 130;

/** Watches the workers of a server run a workflow. Whoever stops watching changes nothing. Returns the exit code. */
export async function followServerRun(
  context: CommandContext,
  engine: Engine,
  workflow: WorkflowRecord,
  story: RunStory,
): Promise<number> {
  const progress = await startProgress(engine, workflow, context);
  const following = new AbortController();
  const stopWaiting = waitOutOutages(context, engine, (line) => progress.note(line));
  const stopListening = onInterrupt((count) => {
    following.abort();
    stopWaiting();
    // A server that does not answer must not keep anybody who wants to leave.
    if (count > 1) process.exit(INTERRUPTED);
  });
  try {
    await waitForEnd(context, engine, workflow.id, following.signal, progress);
    if (following.signal.aborted) {
      const cancel = hintCommand({ kind: 'cancel', workflow: workflow.id }, context);
      progress.note(`workflow ${workflow.id} continues; ${cancel} cancels it`);
    }
    await progress.stop();
    const status = await engine.status(workflow.id);
    context.show(runResultView, await collectRunResult(engine, status, context.settings.output, story));
    return following.signal.aborted ? INTERRUPTED : (status.exit_code ?? INTERRUPTED);
  } catch (error) {
    if (!isUnansweredFarewell(error, following.signal)) throw error;
    return INTERRUPTED;
  } finally {
    stopWaiting();
    await progress.stop();
    stopListening();
  }
}

/** Until nothing more happens without anybody doing something, or the signal says so. */
async function waitForEnd(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  signal: AbortSignal,
  progress: Progress,
): Promise<void> {
  const wakeups = new Wakeups(engine, signal);
  let noted = '';
  const note = (text: string) => {
    if (text !== noted) progress.note(text);
    noted = text;
  };
  try {
    while (!signal.aborted) {
      const status = await engine.status(workflowId);
      if (status.exit_code !== null || isStopped(status)) return;
      const [driver] = status.workers;
      const paused = pausedBy(status.workflow);
      if (paused !== null) note(`${paused}; ${context.command('resume', workflowId)} resumes it`);
      else if (driver !== undefined) note(`${whoRuns(driver)}; Ctrl-C only stops following`);
      else if (noted === '' && !(await hasWorkers(engine))) note(`no worker is there: ${startOne(context)}`);
      await wakeups.next();
    }
  } finally {
    wakeups.stop();
  }
}

function whoRuns({ kind, pid, host }: WorkerRecord): string {
  return kind === 'run' ? `process ${pid} on ${visibleText(host)} runs it` : 'workers of the server run it';
}

async function hasWorkers(engine: Engine): Promise<boolean> {
  const { items } = await engine.listWorkers({ limit: 1000 });
  return items.some(({ state, kind }) => state === 'active' && kind === 'service');
}

function startOne({ server }: Pick<CommandContext, 'server'>): string {
  return `\`holdfast worker --server ${server!.url}\` starts one, --with-worker lends this machine`;
}

import type { Engine } from '../../core/engine.ts';
import type { WorkerRecord, WorkflowRecord } from '../../core/records.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { visibleText } from '../output/visible-text.ts';
import type { Progress } from '../progress/progress.ts';
import { startProgress } from '../progress/start-progress.ts';
import { Wakeups } from '../wakeups.ts';
import { collectRunResult } from './run-result.ts';
import type { RunStory } from './run-story.ts';

const INTERRUPTED = 130;

/** Watches the workers of a server run a workflow. Whoever stops watching changes nothing. Returns the exit code. */
export async function followServerRun(
  context: CommandContext,
  engine: Engine,
  workflow: WorkflowRecord,
  story: RunStory,
): Promise<number> {
  const { command, print, render } = context;
  const progress = await startProgress(engine, workflow, context);
  const following = new AbortController();
  const stopListening = onInterrupt((count) => {
    following.abort();
    // A server that does not answer must not keep anybody who wants to leave.
    if (count > 1) process.exit(INTERRUPTED);
  });
  try {
    await waitForEnd(context, engine, workflow.id, following.signal, progress);
    if (following.signal.aborted) {
      progress.note(`workflow ${workflow.id} goes on; ${command('cancel', workflow.id)} cancels it`);
    }
  } finally {
    await progress.stop();
    stopListening();
  }
  const status = await engine.status(workflow.id);
  print(render.runResult(await collectRunResult(engine, status, context, story)));
  return following.signal.aborted ? INTERRUPTED : (status.exit_code ?? INTERRUPTED);
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
  let told = '';
  const tell = (text: string) => {
    if (text !== told) progress.note(text);
    told = text;
  };
  try {
    while (!signal.aborted) {
      const { exit_code, workers } = await engine.status(workflowId);
      if (exit_code !== null) return;
      const [driver] = workers;
      if (driver !== undefined) tell(`${whoRuns(driver)}; Ctrl-C only stops following`);
      else if (told === '' && !(await hasWorkers(engine))) tell(`no worker is there: ${startOne(context)}`);
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

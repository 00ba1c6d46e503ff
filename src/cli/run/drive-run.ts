import type { Engine } from '../../contract/engine.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import type { RunStory } from '../../views/run-story.ts';
import type { Launchers } from '../../worker/execute/launchers.ts';
import { RunWorker } from '../../worker/run-worker.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { notifyOf } from '../notify/run-notifier.ts';
import { rememberSpec } from '../options/known-spec.ts';
import { useSettings } from '../options/run-settings.ts';
import { startProgress } from '../progress/start-progress.ts';
import { runResultView } from '../texts/run-result-text.ts';
import { followRun } from './follow-run.ts';
import { collectRunResult } from './run-result.ts';
import { stoppingText } from './stopping-text.ts';
import { callAt } from './time-limit.ts';
import { type LocalWorker, workerOptions } from './worker-options.ts';

const INTERRUPTED = 130;

/** Runs a workflow with a worker in this process, or follows the process that does. Returns the exit code. */
export async function driveRun(
  context: CommandContext,
  engine: Engine,
  workflow: WorkflowRecord,
  launchers: Launchers,
  story: RunStory,
  given: LocalWorker,
): Promise<number> {
  const { settings, offer } = await useSettings(context, engine, workflow, given);
  const options = workerOptions({ ...context, settings }, workflow.id, offer);
  const worker = new RunWorker(engine, { ...options, asksCode: story.asksCode }, launchers);
  const notifier = await notifyOf(context, engine, { workflow_id: workflow.id });
  const progress = await startProgress(engine, workflow, context);
  const following = new AbortController();
  let isFollowing = false;
  const stopListening = onInterrupt((count) => {
    if (isFollowing) following.abort();
    else if (count === 1) {
      worker.stop();
      void stoppingText(engine, workflow.id, settings.grace).then((text) => progress.note(text));
    } else {
      worker.kill();
      progress.note('killing the running jobs');
    }
  });

  const { endsAt = null } = offer;
  const stopWaiting =
    endsAt === null
      ? () => {}
      : callAt(endsAt - settings.grace, () => {
          progress.note('the time limit is reached');
          if (isFollowing) following.abort();
          else worker.stop();
        });

  let interrupted: boolean;
  try {
    const end = await worker.run();
    interrupted = end === 'stopped' || end === 'out_of_time';
    if (end === 'out_of_time') progress.note('no job that is left fits into the time limit');
    if (end === 'follow') {
      isFollowing = true;
      interrupted = !(await followRun(engine, workflow.id, following.signal, progress));
    }
  } finally {
    stopWaiting();
    await progress.stop();
    stopListening();
  }
  const status = await engine.status(workflow.id);
  await rememberSpec(engine, status, story);
  context.show(runResultView, await collectRunResult(engine, status, context.settings.output, story));
  await notifier.finish();
  return interrupted ? INTERRUPTED : (status.exit_code ?? INTERRUPTED);
}

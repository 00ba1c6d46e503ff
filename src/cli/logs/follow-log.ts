import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import type { LogStream } from '../../contract/records/log-access.ts';
import type { AttemptRecord, WorkflowRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { JobRef } from '../../core/job/job-ref.ts';
import { type JobStatus, TERMINAL_STATUSES } from '../../core/job/job-status.ts';
import { attemptOutcome } from '../../views/attempt.ts';
import { continueHint } from '../../views/hints.ts';
import { pausedBy } from '../../views/pause-text.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { CommandContext } from '../command-context.ts';
import { hintCommand } from '../texts/parts/hint-command.ts';
import { Wakeups } from '../wakeups.ts';
import { type AttemptChoice, attemptAfter, attemptToShow } from './find-attempt.ts';
import { LogPrinter } from './print-log.ts';
import { reportGap } from './report-gap.ts';

export interface LogTarget {
  workflowId: number;
  job: JobRef;
  choice: AttemptChoice;
  stream: LogStream;
  tail: number | undefined;
}

/**
 * Prints a job's log as it grows, attempt after attempt, until the job has ended, the one attempt
 * that was asked for has, or nothing starts another attempt: no process drives the run any more, or, of a workflow that
 * the workers of a server share, the job waits for a decision or the workflow is paused.
 */
export async function followLog(
  context: CommandContext,
  engine: Engine,
  target: LogTarget,
  signal: AbortSignal,
): Promise<void> {
  const { workflowId, job, choice } = target;
  const wakeups = new Wakeups(engine, signal);
  let printed: AttemptRecord | undefined;
  try {
    while (!signal.aborted) {
      const attempt =
        printed === undefined
          ? await attemptToShow(engine, workflowId, job, choice)
          : await attemptAfter(engine, workflowId, printed);
      if (attempt !== undefined) {
        if (printed !== undefined) context.narrate(`attempt ${attempt.attempt_id}`);
        printed = await printToEnd(context, engine, { ...target, attempt }, wakeups, signal);
        if (choice.attempt !== undefined || signal.aborted) return;
        continue;
      }
      const { status } = await engine.getJob(workflowId, job);
      if (TERMINAL_STATUSES.has(status)) {
        if (printed === undefined) throw new HoldfastError('NO_ATTEMPT', { workflow: workflowId, job });
        return;
      }
      const state = await engine.status(workflowId);
      const { workers, workflow } = state;
      const isServed = workflow.shared && workflow.paused === null && status !== 'pending_failed';
      if (workers.length === 0 && !isServed) {
        if (printed === undefined) throw new HoldfastError('NO_ATTEMPT', { workflow: workflowId, job });
        const hint = continueHint(state);
        const next = hint === null ? '' : `; next: ${hintCommand(hint, context)}`;
        context.narrate(`${whyNoneComes(workflow, status)}${next}`);
        return;
      }
      await wakeups.next();
    }
  } finally {
    wakeups.stop();
  }
}

function whyNoneComes(workflow: WorkflowRecord, status: JobStatus): string {
  if (status === 'pending_failed') return 'the job waits for a decision';
  if (!workflow.shared) return `no process drives workflow ${workflow.id} now`;
  return `workflow ${workflow.id} is ${pausedBy(workflow)}`;
}

/** Returns the attempt as it was when it had ended. */
async function printToEnd(
  context: CommandContext,
  engine: Engine,
  { workflowId, job, attempt, stream, tail }: LogTarget & { attempt: AttemptRecord },
  wakeups: Wakeups,
  signal: AbortSignal,
): Promise<AttemptRecord> {
  const place = { run: attempt.run_id, attempt: attempt.attempt_id };
  const read = logReader(engine, workflowId, attempt, stream);
  const printer = new LogPrinter(context.stdout, { read, tail, onGap: reportGap(context) });
  try {
    for (;;) {
      // Asked before the log is read: what was written before the end is then read to its last byte.
      const now = (await attemptToShow(engine, workflowId, job, place)) ?? attempt;
      const { workers, workflow } = await engine.status(workflowId);
      // A worker of a server that is cut off for a while may still report.
      const driven = workers.length > 0 || workflow.shared;
      // Where it is a file of this machine its growth is seen at once.
      if (!wakeups.isWatching) wakeups.watchFile(attempt[`${stream}_path`]);
      await printer.printNew({ follow: true });
      if (now.finished_at_ms !== null || !driven || signal.aborted) {
        if (now.error !== null) {
          context.narrate(
            `attempt ${now.attempt_id}: ${visibleText(attemptOutcome(now))} - ${visibleText(now.reason ?? '')}`,
          );
        }
        return now;
      }
      await wakeups.next();
    }
  } finally {
    wakeups.forgetFile();
    await printer.end();
  }
}

import type { Hint } from '../contract/records/hint.ts';
import type { WorkflowStatus } from '../contract/records/records.ts';
import { jobLabel } from '../core/job/job-label.ts';
import { failureCount, type ShownFailure, shownCount } from './run-result.ts';

/**
 * What a person or an agent can do about a workflow, in the order in which it helps; empty: nothing is left to do.
 * `failed`: some of its failed jobs, where they are known. `spec`: how its spec is named here.
 */
export function nextHints(
  status: WorkflowStatus,
  failed: readonly ShownFailure[] = [],
  spec?: readonly string[],
): Hint[] {
  const { workflow, complete, counts, exit_code } = status;
  const of = { workflow: workflow.id };
  if (complete) return exit_code === 0 ? [] : hintsAfterFailures(status, failed, spec);
  // What is left was left out.
  if (exit_code === 0) return [{ kind: 'run', ...of }];
  if (exit_code === 1) return [...hintsAfterFailures(status, failed, spec), { kind: 'run', ...of }];
  return [
    ...(counts.pending_failed > 0
      ? ([
          { kind: 'failures', ...of },
          { kind: 'resolve', ...of },
        ] as const)
      : []),
    continuing(status),
  ];
}

/**
 * Running a paused workflow resumes it; one that workers are at is resumed where they are. Allocations may need the
 * process that runs it.
 */
function continuing({ workflow, workers }: WorkflowStatus): Hint {
  const isWorkedOn = workers.length > 0;
  const isResumed = isWorkedOn || (workflow.shared && workflow.executor !== 'slurm');
  if (workflow.paused !== null && isResumed) return { kind: 'resume', workflow: workflow.id };
  return isWorkedOn && workflow.paused === null ? { kind: 'wait', workflow: workflow.id } : runHint(workflow);
}

/** As far as it was to be run. */
function runHint({ id, until }: WorkflowStatus['workflow']): Hint {
  return { kind: 'run', workflow: id, ...(until !== null && { until }) };
}

function hintsAfterFailures(
  { workflow: { id: workflow, executor }, counts }: WorkflowStatus,
  failed: readonly ShownFailure[],
  spec: readonly string[] | undefined,
): Hint[] {
  const [first] = failed;
  const count = failureCount(counts);
  // Canceled: nothing failed that could be looked at.
  if (count === 0) return [{ kind: 'reset', workflow, failed_only: true }];
  if (first === undefined) {
    return [
      { kind: 'failures', workflow },
      { kind: 'recover', workflow },
    ];
  }
  const job = jobLabel(first.job);
  const hints: Hint[] = [{ kind: 'explain', workflow, job }];
  // Of many failures, what they have in common says more than any one of them.
  if (failed.length > 1 || count > shownCount(failed)) hints.unshift({ kind: 'failures', workflow });
  if (failed.some(({ attempt }) => attempt?.cause === 'oom' || attempt?.cause === 'timeout'))
    hints.push({ kind: 'recover', workflow });
  else if (count === 1) hints.push({ kind: 'retry', workflow, jobs: [job] });
  else hints.push({ kind: 'retry_failed', workflow });
  // What DAGMan has run is not changed afterwards.
  if (executor !== 'htcondor') hints.push({ kind: 'continue', workflow, ...(spec && { spec: [...spec] }) });
  return hints;
}

/** What makes a workflow continue after a decision or a retry; null if it is complete, or a process drives it. */
export function continueHint({
  workflow,
  complete,
  counts,
  exit_code,
  workers,
}: WorkflowStatus): Hint | null {
  if (complete || workers.length > 0) return null;
  const isWaiting = exit_code === 3 && counts.ready === 0;
  return isWaiting ? { kind: 'resolve', workflow: workflow.id } : runHint(workflow);
}

import type { WalkStep } from '../core/decision.ts';
import { jobLabel } from '../core/job-label.ts';
import { TERMINAL_STATUSES, UNSUCCESSFUL_STATUSES } from '../core/job-status.ts';
import { formatDuration, formatSize } from '../core/quantity.ts';
import type { AttemptRecord, Explanation, JobDetails } from '../core/records.ts';

/** What is known of a job when it is explained. */
export interface ExplainedFacts {
  job: JobDetails;
  attempts: { attempt: AttemptRecord; walk: WalkStep[] }[];
  /** Whether a live worker drives the run. */
  driven: boolean;
  now: number;
}

/** Why the job is where it is, in words: one dominant reason, what comes next, and a command that helps. */
export function explainJob({ job, attempts, driven, now }: ExplainedFacts): Explanation {
  const last = attempts.at(-1)?.attempt;
  return { job, attempts, ...tell(job, last, driven, now) };
}

function tell(
  job: JobDetails,
  last: AttemptRecord | undefined,
  driven: boolean,
  now: number,
): Pick<Explanation, 'headline' | 'next' | 'hint'> {
  const resume = driven ? null : `holdfast run ${job.workflow_id}`;
  const undriven = driven ? '' : ' once the run goes on: no worker drives it now';
  const label = quoted(jobLabel(job));
  const logs = `holdfast logs ${job.workflow_id} ${label} --stderr`;
  switch (job.status) {
    case 'completed':
      return {
        headline:
          job.attempt_id > 1 ? `completed in attempt ${job.attempt_id}` : 'completed in its first attempt',
        next: 'nothing, it is done',
        hint: null,
      };
    case 'failed':
    case 'terminated':
      return {
        headline: last?.error
          ? `${job.status}: ${last.error}; ${job.reason}`
          : `${job.status}: ${job.reason}`,
        next: 'nothing: its dependents were canceled unless they run after failures too',
        hint: last === undefined ? null : logs,
      };
    case 'canceled':
      return {
        headline: `canceled: ${job.reason}`,
        next: 'nothing, it will not run',
        hint: canceledHint(job),
      };
    case 'disabled':
      return job.config.onCall
        ? {
            headline: 'on call: no route has called it',
            next: 'it runs when a route calls it',
            hint: null,
          }
        : { headline: `disabled: ${job.reason}`, next: 'nothing, it will not run', hint: null };
    case 'running':
    case 'pending':
      if (job.cancel_requested) {
        return {
          headline: `being canceled: ${job.reason}`,
          next: `its process is ended${undriven}`,
          hint: resume,
        };
      }
      return {
        headline:
          job.status === 'pending'
            ? `attempt ${job.attempt_id} is about to start`
            : `attempt ${job.attempt_id} has been running for ${formatDuration(now - (last?.started_at_ms ?? now))}`,
        next: driven
          ? 'its outcome decides'
          : 'its worker is gone; the attempt counts as lost when the run goes on',
        hint: resume ?? `holdfast logs ${job.workflow_id} ${label} -f`,
      };
    case 'ready':
      return {
        headline: readyHeadline(job, last, now),
        next: `it starts as soon as it is due and there is room for ${describeNeeds(job)}${undriven}`,
        hint: resume,
      };
    case 'blocked':
    case 'uninitialized':
      if (job.depends_on.every(({ status }) => TERMINAL_STATUSES.has(status))) {
        return {
          headline: `waits: ${job.reason}`,
          next: `it goes on when what runs now has ended${undriven}`,
          hint: resume,
        };
      }
      return {
        headline: blockedHeadline(job),
        next: `it becomes ready when they have ended${undriven}`,
        hint: resume,
      };
    case 'pending_failed':
      return {
        headline: `waits for a decision: ${job.reason}`,
        next: 'nothing until somebody decides',
        hint: `holdfast resolve ${job.workflow_id}`,
      };
  }
}

function readyHeadline(job: JobDetails, last: AttemptRecord | undefined, now: number): string {
  const before = last?.reason ? `; attempt ${last.attempt_id}: ${storyOf(last.error, last.reason)}` : '';
  const wait = job.retry_available_at_ms - now;
  return wait > 0
    ? `waits another ${formatDuration(wait)} before it is tried again${before}`
    : `ready to run${before}`;
}

function describeNeeds({ requirement }: JobDetails): string {
  const needs = [requirement.cpus === null ? 'one slot' : `${requirement.cpus} CPUs`];
  if (requirement.memoryBytes !== null) needs.push(`${formatSize(requirement.memoryBytes)} of memory`);
  if (requirement.gpus > 0) needs.push(`${requirement.gpus} GPUs`);
  for (const [name, amount] of Object.entries(requirement.resources)) needs.push(`${amount} ${name}`);
  return needs.join(', ');
}

function blockedHeadline(job: JobDetails): string {
  const open = job.depends_on.filter((dependency) => !TERMINAL_STATUSES.has(dependency.status));
  const named = open
    .slice(0, 5)
    .map((dependency) => `${dependency.name} (${dependency.status})`)
    .join(', ');
  const more = open.length > 5 ? ` and ${open.length - 5} more` : '';
  return `waits for ${open.length} of ${job.depends_on.length} dependencies: ${named}${more}`;
}

function canceledHint(job: JobDetails): string | null {
  const culprit = job.depends_on.find((dependency) => UNSUCCESSFUL_STATUSES.has(dependency.status));
  return culprit ? `holdfast explain ${job.workflow_id} ${quoted(culprit.name)}` : null;
}

/** As a shell takes it: the label of an item has brackets. */
function quoted(label: string): string {
  return /^[\w.@-]+$/.test(label) ? label : `'${label.replaceAll("'", `'\\''`)}'`;
}

/** A reason often begins with how the attempt ended; nothing is told twice. */
function storyOf(error: string | null, reason: string): string {
  return error === null || reason.startsWith(error) ? reason : `${error}, ${reason}`;
}

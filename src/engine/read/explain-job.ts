import type { Hint } from '../../contract/records/hint.ts';
import type {
  AttemptRecord,
  Explanation,
  JobDetails,
  JobWait,
  WorkflowRecord,
} from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { TERMINAL_STATUSES, UNSUCCESSFUL_STATUSES } from '../../core/job/job-status.ts';
import { withReason } from '../../core/job/outcome.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import type { WalkStep } from '../../core/policy/decision.ts';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import type { AwaitedErrand } from '../../store/rows/errands/errand-list-rows.ts';

/** What is known of a job when it is explained. */
export interface ExplainedFacts {
  job: JobDetails;
  attempts: { attempt: AttemptRecord; walk: WalkStep[] }[];
  /** What the job waits for besides an attempt; null if there is nothing. */
  errand: AwaitedErrand | null;
  /** Why no worker can take it now. */
  waits: JobWait[];
  /** Whether a live worker drives the run. */
  driven: boolean;
  /** Of the workflow. */
  paused: WorkflowRecord['paused'];
  /** What its run is to end at, if the job is held back for that. */
  until: readonly string[] | null;
  now: number;
}

/** Why the job is where it is, in words: one dominant reason, what comes next, and a hint. */
export function explainJob(facts: ExplainedFacts): Explanation {
  const { job, attempts, waits } = facts;
  return { job, waits, attempts, ...describeFacts(facts, attempts.at(-1)?.attempt) };
}

type Summary = Pick<Explanation, 'headline' | 'next' | 'hint'>;

function describeFacts(
  { job, errand, waits, driven, paused, until, now }: ExplainedFacts,
  last: AttemptRecord | undefined,
): Summary {
  // What is being ended says so, whatever it waits for.
  const isEnding = job.cancel_requested || job.retry_requested;
  if (errand !== null && !isEnding) return describeErrand(last, errand, driven, now);
  if (until !== null && (job.status === 'ready' || job.status === 'blocked')) return describeHeld(job, until);
  if (paused !== null && job.status === 'ready') return describePaused(job, last, paused, driven);
  const dag = waits.map(({ short }) => short).find((short) => short.kind === 'dagman');
  if (dag !== undefined) return describeDagman(last, dag.cluster_id !== null);
  return describeJob(job, last, waits.length > 0, driven, now);
}

function describeJob(
  job: JobDetails,
  last: AttemptRecord | undefined,
  isShort: boolean,
  driven: boolean,
  now: number,
): Pick<Explanation, 'headline' | 'next' | 'hint'> {
  const workflow = job.workflow_id;
  const resume: Hint | null = driven ? null : { kind: 'run', workflow };
  const undriven = driven ? '' : ', once the run is resumed: no worker drives it now';
  const label = jobLabel(job);
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
        // What was never started wrote nothing.
        hint: last?.started_at_ms == null ? null : { kind: 'logs', workflow, job: label, follow: false },
      };
    case 'canceled':
      return {
        headline: `canceled: ${job.reason}`,
        next: 'nothing, it will not run',
        hint: canceledHint(job, driven),
      };
    case 'disabled':
      return job.config.on_call
        ? {
            headline: 'on call: no route has called it',
            next: 'it runs when a route calls it',
            hint: null,
          }
        : { headline: `disabled: ${job.reason}`, next: 'nothing, it will not run', hint: null };
    case 'running':
    case 'pending':
      if (job.retry_requested) {
        return {
          headline: `attempt ${job.attempt_id} is being ended: ${job.reason}`,
          next: `attempt ${job.attempt_id + 1} is queued when its processes are gone${undriven}`,
          hint: resume,
        };
      }
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
          : 'its worker is gone; the attempt counts as lost when the run is resumed',
        hint: resume ?? { kind: 'logs', workflow, job: label, follow: true },
      };
    case 'ready':
      return {
        headline: readyHeadline(job, last, isShort, now),
        next: startText(job, driven, now),
        hint: resume,
      };
    case 'blocked':
    case 'uninitialized':
      if (job.depends_on.every(({ status }) => TERMINAL_STATUSES.has(status))) {
        return {
          headline: `waits: ${job.reason}`,
          next: `it continues when what runs now has ended${undriven}`,
          hint: resume,
        };
      }
      if (job.depends_on.some(({ status }) => status === 'pending_failed')) {
        return {
          headline: blockedHeadline(job),
          next: 'it is queued when they have ended, which takes a decision',
          hint: { kind: 'resolve', workflow },
        };
      }
      return {
        headline: blockedHeadline(job),
        next: `it is queued when they have ended${undriven}`,
        hint: resume,
      };
    case 'pending_failed':
      return {
        headline: `waits for a decision: ${job.reason}`,
        next: 'nothing until a decision is made',
        hint: { kind: 'resolve', workflow },
      };
  }
}

function describePaused(
  job: JobDetails,
  last: AttemptRecord | undefined,
  { actor, reason, stopping }: NonNullable<WorkflowRecord['paused']>,
  driven: boolean,
): Summary {
  const why = reason === null ? '' : ` (${reason})`;
  return {
    headline: `queued, but its workflow was ${stopping ? 'stopped' : 'paused'} by ${actor}${why}${storyBefore(last)}`,
    next: 'nothing until the workflow is resumed',
    // Without a worker it would be resumed, and nothing would run it.
    hint: { kind: driven ? 'resume' : 'run', workflow: job.workflow_id },
  };
}

function describeDagman(last: AttemptRecord | undefined, isSubmitted: boolean): Summary {
  return {
    headline: `${isSubmitted ? 'DAGMan runs its workflow' : 'queued'}${storyBefore(last)}`,
    next: 'DAGMan starts it when HTCondor has a place for it; `condor_q -nobatch` shows what runs',
    hint: null,
  };
}

function describeHeld(job: JobDetails, until: readonly string[]): Summary {
  return {
    headline: `not started: the run ends at ${until.join(', ')}, which does not need it`,
    next: 'nothing until the workflow is run without --until',
    hint: { kind: 'run', workflow: job.workflow_id },
  };
}

const ERRANDS = {
  recovery: {
    name: 'recovery script',
    next: 'it is tried again when the script has ended, however it ends',
    undriven: 'its worker is gone, and the script with it; the job is tried again when the run is resumed',
  },
  post: {
    name: 'post script',
    next: 'the script decides about the attempt',
    undriven:
      'its worker is gone, and the script with it; the attempt is decided without it when the run is resumed',
  },
  step: {
    name: 'post step',
    next: 'the step decides about the attempt',
    undriven: 'the next worker repeats the step: no worker drives the run now',
  },
  evaluation: {
    name: 'code',
    next: 'what the code returns decides',
    undriven: 'the next worker evaluates the code: no worker drives the run now',
  },
};

function describeErrand(
  last: AttemptRecord | undefined,
  { kind, started_at, timeout_ms }: AwaitedErrand,
  driven: boolean,
  now: number,
): Pick<Explanation, 'headline' | 'next' | 'hint'> {
  // Only the built-in post step has no time limit of its own.
  const { name, next, undriven } = ERRANDS[kind === 'post' && timeout_ms === null ? 'step' : kind];
  const limit = timeout_ms === null ? '' : ` of at most ${formatDuration(timeout_ms)}`;
  const ran =
    started_at === null
      ? 'waits for a worker to evaluate it'
      : `has been running for ${formatDuration(now - started_at)}${limit}`;
  return {
    headline: `its ${name} ${ran}${storyBefore(last)}`,
    next: driven ? next : undriven,
    hint: null,
  };
}

function storyBefore(last: AttemptRecord | undefined): string {
  return last?.reason ? `; attempt ${last.attempt_id}: ${withReason(last.error, last.reason)}` : '';
}

function readyHeadline(
  job: JobDetails,
  last: AttemptRecord | undefined,
  isShort: boolean,
  now: number,
): string {
  const before = storyBefore(last);
  const wait = job.retry_available_at_ms - now;
  if (wait > 0) return `waits another ${formatDuration(wait)} before it is tried again${before}`;
  return isShort ? `queued, but no worker can take it now${before}` : `queued${before}`;
}

function startText(job: JobDetails, driven: boolean, now: number): string {
  const resumed = driven ? '' : 'the run is resumed and ';
  const due = job.retry_available_at_ms > now ? 'it is due and ' : '';
  const start = `it starts when ${resumed}${due}there is room for ${describeNeeds(job)}`;
  return driven ? start : `${start}: no worker drives the run now`;
}

function describeNeeds({ requirement }: JobDetails): string {
  const needs = [requirement.cpus === null ? 'one slot' : counted(requirement.cpus, 'CPU')];
  if (requirement.memory_bytes !== null) needs.push(`${formatSize(requirement.memory_bytes)} of memory`);
  if (requirement.gpus > 0) needs.push(counted(requirement.gpus, 'GPU'));
  for (const [name, amount] of Object.entries(requirement.resources)) needs.push(`${amount} ${name}`);
  if (requirement.labels.length > 0) {
    const isOne = requirement.labels.length === 1;
    needs.push(`a worker with the ${isOne ? 'label' : 'labels'} ${requirement.labels.join(', ')}`);
  }
  return needs.join(', ');
}

function counted(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

function blockedHeadline(job: JobDetails): string {
  const open = job.depends_on.filter((dependency) => !TERMINAL_STATUSES.has(dependency.status));
  const named = open
    .slice(0, 5)
    .map((dependency) => `${dependency.name} (${shownStatus(dependency.status)})`)
    .join(', ');
  const more = open.length > 5 ? ` and ${open.length - 5} more` : '';
  return `waits for ${open.length} of ${job.depends_on.length} dependencies: ${named}${more}`;
}

function canceledHint(job: JobDetails, driven: boolean): Hint | null {
  const workflow = job.workflow_id;
  const culprit = job.depends_on.find((dependency) => UNSUCCESSFUL_STATUSES.has(dependency.status));
  if (culprit) return { kind: 'explain', workflow, job: culprit.name };
  // A new run is refused while a process is at this one.
  return driven ? null : { kind: 'reset', workflow, failed_only: true };
}

import type { Hint } from '../contract/records/hint.ts';
import type { WorkflowStatus } from '../contract/records/records.ts';
import { nextHints } from '../views/hints.ts';
import { presentStatuses } from '../views/workflow-state.ts';

/** A hint for an agent: the tool that does it, or the command for a person where no tool does. */
export function hintText(hint: Hint): string {
  switch (hint.kind) {
    case 'run':
      return `No process runs it: a person resumes it with \`holdfast run ${hint.workflow}\`, unless \`holdfast watch\` does.`;
    case 'wait':
      return 'A process runs it: look again later with get_workflow_status.';
    case 'resume':
      return `It is paused: a person resumes it with \`holdfast resume ${hint.workflow}\`.`;
    case 'cancel':
      return `A person cancels it with \`holdfast cancel ${hint.workflow}\`.`;
    case 'failures':
      return 'list_failed_jobs shows what failed.';
    case 'resolve':
      return 'list_pending_failed_jobs shows the jobs that wait for a decision.';
    case 'recover':
      return `recover_workflow, where it is offered, or a person with \`holdfast recover ${hint.workflow}\` begins a new run.`;
    case 'reset':
      return `A person begins a new run with \`holdfast reset-status ${hint.workflow}${hint.failed_only ? ' --failed-only' : ''}\`.`;
    case 'reinitialize':
      return `A person begins a new run with what is out of date, with \`holdfast reinitialize ${hint.workflow}\`.`;
    case 'retry':
      return `retry_jobs, where it is offered, or a person with \`holdfast retry\` retries ${hint.jobs.length === 1 ? 'the job' : 'the jobs'}.`;
    case 'retry_failed':
      return `retry_jobs with failed true, where it is offered, or a person with \`holdfast retry ${hint.workflow} --failed\` retries what failed.`;
    case 'continue':
      return `After a fix in its spec, a person runs what changed with \`holdfast run SPEC --continue ${hint.workflow}\`.`;
    case 'explain':
      return `explain_job with job_id ${JSON.stringify(hint.job)} explains the job that caused it.`;
    case 'logs':
      return `get_job_logs with job_id ${JSON.stringify(hint.job)} shows what it wrote.`;
    case 'jobs':
      return `list_jobs_by_status lists the jobs that are ${hint.statuses.join(', ')}.`;
  }
}

/** What comes next for a workflow. While jobs wait for a decision, nothing else is for an agent to do. */
export function nextStep(status: WorkflowStatus): string {
  const hints = nextHints(status);
  const decide = hints.filter(({ kind }) => kind === 'resolve');
  const shown = decide.length > 0 ? decide : hints;
  return shown.map(hintText).join(' ') || 'Nothing is left to do.';
}

/** The statuses that occur, in words. */
export function countsInWords(counts: WorkflowStatus['counts']): string {
  return (
    presentStatuses(counts)
      .map((status) => `${counts[status]} ${status}`)
      .join(', ') || 'no jobs'
  );
}

import type { WorkflowStatus } from '../core/records.ts';

/** What comes next for this workflow, told to an agent. */
export function nextStep({ workflow, counts, complete, exit_code, workers }: WorkflowStatus): string {
  if (counts.pending_failed > 0) return 'list_pending_failed_jobs shows the jobs that wait for a decision.';
  if (complete && exit_code === 0) return 'Nothing is left to do.';
  if (complete) {
    return `list_failed_jobs shows what failed. recover_workflow, where it is offered, or a person with \`holdfast recover ${workflow.id}\` begins a new run.`;
  }
  if (workers.length > 0) return 'A process runs it: look again later.';
  return `No process runs it: a person goes on with \`holdfast run ${workflow.id}\`, unless \`holdfast watch\` does.`;
}

/** The statuses that occur, in words. */
export function countsInWords(counts: WorkflowStatus['counts']): string {
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  return told.map(([status, count]) => `${count} ${status}`).join(', ') || 'no jobs';
}

import type { SubmittedUpdate } from '../../contract/engine.ts';
import type { UpdateResult } from '../../contract/records/update.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { ChangeDescriber, describeWorkflow } from '../../core/rerun/describe-changes.ts';
import type { WorkflowChange } from './workflow-change.ts';

const MOST_JOBS = 1_000;

/** The plan of an update as it is shown. */
export function updateRecord(
  { workflow, stored, edited, plan }: WorkflowChange,
  { dry_run, limit = MOST_JOBS }: Pick<SubmittedUpdate, 'dry_run' | 'limit'>,
): UpdateResult {
  const counts = { add: 0, run_again: 0, change: 0, policy: 0, remove: 0, started: 0, canceled: 0 };
  for (const { action } of plan.jobs) counts[action] += 1;
  const shown = plan.jobs.slice(0, limit);
  const describer = new ChangeDescriber(stored, edited, plan.rows);
  return {
    workflow_id: workflow.id,
    dry_run: dry_run === true,
    mode: plan.mode,
    run_id: workflow.run_id + (plan.mode === 'new_run' ? 1 : 0),
    is_active: stored.is_active,
    counts: { ...counts, unchanged: plan.unchanged },
    workflow: describeWorkflow(plan.workflow, stored, edited),
    jobs: shown.map((job) => ({
      job_id: job.action === 'add' ? null : (job.row?.id ?? null),
      name: jobLabel(job),
      status: job.action === 'add' ? null : (job.row?.status ?? null),
      action: job.action,
      reason: job.reason,
      changes: describer.changesOf(job),
    })),
    left_off: plan.jobs.length - shown.length,
    notes: [],
  };
}

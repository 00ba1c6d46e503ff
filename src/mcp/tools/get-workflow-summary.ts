import { z } from 'zod';
import { shownDecision, toShownDecision } from '../failure-records.ts';
import { countsInWords, nextStep } from '../hint-text.ts';
import { defineTool, leftOutField, nextField, summaryField, workflowIdArgument } from '../tool.ts';
import { statusCounts } from './get-workflow-status.ts';

const SHOWN_GROUPS = 20;
const SHOWN_DECISIONS = 10;

export const getWorkflowSummary = defineTool({
  name: 'get_workflow_summary',
  title: 'Summarise a workflow',
  description:
    'How a workflow went so far: how long it took, how many attempts it needed, which kinds of failure are left, and the latest decisions with what came of them. Use it to report to a person. For what happens at this moment use get_workflow_status.',
  kind: 'reads',
  input: z.strictObject({ workflow_id: workflowIdArgument }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    name: z.string(),
    run_id: z.int(),
    job_count: z.int(),
    counts: statusCounts,
    complete: z.boolean(),
    exit_code: z.int().nullable(),
    started_at_ms: z.number().nullable(),
    finished_at_ms: z.number().nullable(),
    attempts_finished: z.int().describe('Attempts that ended in this run.'),
    mean_success_ms: z.number().nullable(),
    failure_groups: z
      .array(
        z.object({
          fingerprint: z.string(),
          cause: z.string(),
          match_code: z.int().nullable(),
          error: z.string(),
          jobs: z.int(),
        }),
      )
      .describe('Failures that are left, by what they look like; largest first.'),
    left_out: leftOutField,
    decisions: z.array(shownDecision).describe('The newest decisions about its jobs.'),
    next: nextField,
  }),
  async run(session, { workflow_id }) {
    const { engine } = session;
    const status = await engine.status(workflow_id);
    const groups = await engine.listFailures(workflow_id);
    const decisions = await engine.listDecisions({ workflow_id, limit: SHOWN_DECISIONS });
    const shown = groups.slice(0, SHOWN_GROUPS);
    const guard = await session.guardFor(workflow_id, [
      ...shown.map(({ jobs }) => jobs[0]!.job_id),
      ...decisions.items.map(({ job_id }) => job_id),
    ]);
    const { workflow, counts, complete, exit_code, started_at_ms, finished_at_ms, attempts } = status;
    return {
      summary: `Workflow ${workflow_id}, run ${workflow.run_id}: ${countsInWords(counts)}; ${attempts.finished} attempts, ${groups.length} kinds of failure left.`,
      workflow_id,
      name: guard.line(workflow.name),
      run_id: workflow.run_id,
      job_count: workflow.job_count,
      counts,
      complete,
      exit_code,
      started_at_ms,
      finished_at_ms,
      attempts_finished: attempts.finished,
      mean_success_ms: attempts.mean_success_ms,
      failure_groups: shown.map(({ fingerprint, cause, match_code, error, jobs }) => ({
        fingerprint,
        cause,
        match_code,
        error: guard.line(error),
        jobs: jobs.length,
      })),
      left_out: groups.length - shown.length,
      decisions: decisions.items.map((each) => toShownDecision(each, guard)),
      next: nextStep(status),
    };
  },
});

import { z } from 'zod';
import { firstPages } from '../../contract/all-pages.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { shownAttempt, toShownAttempt } from '../failure-records.ts';
import { defineTool, jobArgument, leftOutField, summaryField, workflowIdArgument } from '../tool.ts';

const MOST_ATTEMPTS = 10_000;
const SHOWN = 100;

export const listResults = defineTool({
  name: 'list_results',
  title: 'List attempts and how they ended',
  description:
    'Lists attempts of a workflow or of one job, newest first, with how each ended, why, and what it used. Use it to see whether a job ever succeeded, or how often it failed in the same way. What an attempt wrote is in get_job_logs.',
  kind: 'reads',
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    job_id: jobArgument.optional(),
    run_id: z.int().positive().optional().describe('Only this run (default: all runs).'),
    state: z
      .enum(['SUCCEEDED', 'FAILED', 'WORKER_FAILED', 'KILLED', 'STOPPED', 'RUNNING'])
      .optional()
      .describe('Only attempts in this state.'),
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    results: z.array(shownAttempt.extend({ job_id: z.int(), name: z.string() })),
    left_out: leftOutField,
  }),
  async run(session, { workflow_id, job_id, run_id, state }) {
    const all = await firstPages(
      (page) =>
        session.engine.listAttempts(workflow_id, {
          ...page,
          ...(job_id !== undefined && { job: job_id }),
          ...(run_id !== undefined && { run_id }),
        }),
      MOST_ATTEMPTS,
    );
    const wanted = all.filter((each) => state === undefined || each.state === state).reverse();
    const shown = wanted.slice(0, SHOWN);
    const guard = await session.guardFor(
      workflow_id,
      shown.map(({ job_id }) => job_id),
    );
    const { taken } = takeWithin(
      shown.map((attempt) => ({
        job_id: attempt.job_id,
        name: guard.line(jobLabel({ name: attempt.job_name, scope: attempt.scope })),
        ...toShownAttempt(attempt, guard),
      })),
      ANSWER_BYTES - 1024,
    );
    return {
      summary: `${wanted.length} attempts; ${taken.length} shown, newest first.`,
      workflow_id,
      results: taken,
      left_out: wanted.length - taken.length,
    };
  },
});

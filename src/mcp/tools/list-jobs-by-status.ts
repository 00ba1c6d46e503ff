import { z } from 'zod';
import { jobLabel } from '../../core/job/job-label.ts';
import { JOB_STATUSES } from '../../core/job/job-status.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { defineTool, summaryField, workflowIdArgument } from '../tool.ts';
import { untrustedText } from '../untrusted-text.ts';

const PAGE = 100;

const job = z.object({
  job_id: z.int(),
  name: z.string(),
  status: z.enum(JOB_STATUSES),
  attempt_id: z
    .int()
    .describe('The current or last attempt of this run; the next one for a job that is yet to run. From 1.'),
  failure_count: z.int(),
  preemption_count: z.int(),
  reason: untrustedText.nullable(),
});

export const listJobsByStatus = defineTool({
  name: 'list_jobs_by_status',
  title: 'List jobs',
  description:
    'Lists jobs of a workflow, in one status or in all, with their numbers. Use it to find the number of a job or to see what is blocked, ready or canceled. For the next page, give next_after as after. For one job use get_job_details.',
  kind: 'reads',
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    status: z.enum(JOB_STATUSES).optional().describe('Only jobs in this status.'),
    name: z
      .string()
      .max(200)
      .optional()
      .describe('Only jobs whose name contains this or, with `*` or `?` in it, matches it as a whole.'),
    after: z.int().positive().optional().describe('next_after of the answer before.'),
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    jobs: z.array(job),
    next_after: z.int().nullable().describe('null: there are no more.'),
  }),
  async run(session, { workflow_id, status, name, after }) {
    const page = await session.engine.listJobs(workflow_id, {
      limit: PAGE,
      ...(status !== undefined && { status: [status] }),
      ...(name !== undefined && { name }),
      ...(after !== undefined && { after }),
    });
    const guard = await session.guardFor(
      workflow_id,
      page.items.map(({ id }) => id),
    );
    const shown = page.items.map((each) => ({
      job_id: each.id,
      name: guard.line(jobLabel(each)),
      status: each.status,
      attempt_id: each.attempt_id,
      failure_count: each.failure_count,
      preemption_count: each.preemption_count,
      reason: guard.reason(each.reason),
    }));
    const { taken, left_out } = takeWithin(shown, ANSWER_BYTES - 1024);
    const next = left_out > 0 ? (taken.at(-1)?.job_id ?? null) : page.next;
    return {
      summary: `${taken.length} jobs${status === undefined ? '' : ` in status ${status}`}${next === null ? '' : ', and more'}.`,
      workflow_id,
      jobs: taken,
      next_after: next,
    };
  },
});

import { z } from 'zod';
import { jobUsage } from '../../views/job-usage.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { defineTool, summaryField, workflowIdArgument } from '../tool.ts';

const PAGE = 100;

export const checkResourceUtilization = defineTool({
  name: 'check_resource_utilization',
  title: 'Compare requested with used resources',
  description:
    'What each job asked for against what its latest attempt used: memory, time, processors. null means that the job asked for nothing, or was too short to measure. Use it to choose memory or runtime for a retry after out of memory or timeout. For the next page, pass next_after as after.',
  kind: 'reads',
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    after: z.int().positive().optional().describe('next_after of the answer before.'),
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    jobs: z.array(
      z.object({
        job_id: z.int(),
        name: z.string(),
        status: z.string(),
        attempt_id: z.int(),
        memory_requested_bytes: z.number().nullable(),
        peak_rss_bytes: z.number().nullable(),
        runtime_limit_ms: z.number().nullable(),
        ran_ms: z.number().nullable(),
        cpus_requested: z.number().nullable(),
        cpus_used: z.number().nullable(),
      }),
    ),
    next_after: z.int().nullable().describe('null: there are no more.'),
  }),
  async run(session, { workflow_id, after }) {
    const page = await session.engine.utilization(workflow_id, {
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    const guard = await session.guardFor(
      workflow_id,
      page.items.map(({ job_id }) => job_id),
    );
    const { taken, left_out } = takeWithin(
      page.items.map((each) => ({ ...each, name: guard.line(each.name) })),
      ANSWER_BYTES - 1024,
    );
    const over = page.items
      .slice(0, taken.length)
      .filter((each) => (jobUsage(each).memory_share ?? 0) > 1).length;
    return {
      summary: `${taken.length} jobs with attempts; ${over} used more memory than they asked for.`,
      workflow_id,
      jobs: taken,
      next_after: left_out > 0 ? (taken.at(-1)?.job_id ?? null) : page.next,
    };
  },
});

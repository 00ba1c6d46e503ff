import { z } from 'zod';
import { JOB_STATUSES } from '../../core/job/job-status.ts';
import { countsInWords, nextStep } from '../hint-text.ts';
import { defineTool, nextField, summaryField, workflowIdArgument } from '../tool.ts';
import { untrustedText } from '../untrusted-text.ts';

export const statusCounts = z.record(z.enum(JOB_STATUSES), z.int()).describe('Jobs by status.');

const place = { job_id: z.int(), name: z.string(), attempt_id: z.int() };

export const getWorkflowStatus = defineTool({
  name: 'get_workflow_status',
  title: 'Get the status of a workflow',
  description:
    'One look at a workflow: jobs by status, whether it is complete, whether a process runs it now, what runs, what waits for a retry, and its latest failures. Use it to see whether there is something to decide or to wait for. For how it went as a whole use get_workflow_summary.',
  kind: 'reads',
  input: z.strictObject({ workflow_id: workflowIdArgument }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    name: z.string(),
    run_id: z.int(),
    counts: statusCounts,
    complete: z.boolean(),
    exit_code: z
      .int()
      .nullable()
      .describe('0 all completed, 1 something failed, 3 waiting for a decision; null: not known yet.'),
    driven: z.boolean().describe('A process runs it now.'),
    running: z
      .array(z.object({ ...place, started_at_ms: z.number() }))
      .describe('Longest first, at most 20.'),
    waiting: z
      .array(z.object({ ...place, retry_available_at_ms: z.number(), outcome: z.string() }))
      .describe('Retries that wait, at most 20.'),
    failures: z
      .array(z.object({ ...place, outcome: z.string(), reason: untrustedText.nullable() }))
      .describe('Newest first, those that were recovered too; at most 10.'),
    next: nextField,
  }),
  async run(session, { workflow_id }) {
    const status = await session.engine.status(workflow_id);
    const { workflow, counts, complete, exit_code, workers, running, waiting, failures } = status;
    const guard = await session.guardFor(
      workflow_id,
      [...running, ...waiting, ...failures].map(({ job_id }) => job_id),
    );
    const named = <T extends { name: string }>(item: T): T => ({ ...item, name: guard.line(item.name) });
    return {
      summary: `Workflow ${workflow_id}, run ${workflow.run_id}: ${countsInWords(counts)}; ${complete ? 'complete' : 'not complete'}.`,
      workflow_id,
      name: guard.line(workflow.name),
      run_id: workflow.run_id,
      counts,
      complete,
      exit_code,
      driven: workers.length > 0,
      running: running.map(named),
      waiting: waiting.map((each) => ({ ...named(each), outcome: guard.line(each.outcome) })),
      failures: failures.map((each) => ({
        ...named(each),
        outcome: guard.line(each.outcome),
        reason: guard.reason(each.reason),
      })),
      next: nextStep(status),
    };
  },
});

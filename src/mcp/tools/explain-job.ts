import { z } from 'zod';
import type { WalkStep } from '../../core/decision.ts';
import { jobLabel } from '../../core/job-label.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { attemptRecord, tellAttempt } from '../failure-records.ts';
import { defineTool, jobArgument, leftOutField, summaryField, workflowIdArgument } from '../tool.ts';
import { type TextLimits, untrustedText } from '../untrusted-text.ts';

const SHOWN_ATTEMPTS = 10;
const WALK: TextLimits = { lines: 20, bytes: 4 * 1024, keep: 'end' };

export const explainJob = defineTool({
  name: 'explain_job',
  title: 'Explain a job',
  description:
    'Why a job waits, was retried, failed or waits for a decision: for each attempt the rules of the failure path that were asked and why each did or did not apply, and what happens next without anybody doing anything. Use it before you decide against what the policy of the workflow says.',
  kind: 'reads',
  input: z.strictObject({ workflow_id: workflowIdArgument, job_id: jobArgument }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    job_id: z.int(),
    name: z.string(),
    status: z.string(),
    headline: untrustedText.nullable(),
    next: untrustedText.nullable().describe('What happens next by itself.'),
    attempts: z
      .array(
        attemptRecord.extend({
          walk: untrustedText.describe('The rules in the order they were asked; the last one decided.'),
        }),
      )
      .describe('Newest first, at most 10.'),
    left_out: leftOutField,
  }),
  async run(session, { workflow_id, job_id: ref }) {
    const { job, headline, next, attempts } = await session.engine.explain(workflow_id, ref);
    const guard = await session.guardFor(workflow_id, [job.id]);
    const told = attempts
      .slice(-SHOWN_ATTEMPTS)
      .reverse()
      .map(({ attempt, walk }) => ({
        ...tellAttempt(attempt, guard),
        walk: guard.mark(walk.map(tellStep).join('\n'), WALK),
      }));
    const { taken } = takeWithin(told, ANSWER_BYTES - 4096);
    return {
      summary: `Job ${job.id} of workflow ${workflow_id} is ${job.status} after ${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}.`,
      workflow_id,
      job_id: job.id,
      name: guard.line(jobLabel(job)),
      status: job.status,
      headline: guard.reason(headline),
      next: guard.reason(next),
      attempts: taken,
      left_out: attempts.length - taken.length,
    };
  },
});

function tellStep({ rule, applies, because }: WalkStep): string {
  return `${rule}: ${applies ? 'applies' : 'does not apply'}, ${because.replaceAll('\n', ' ')}`;
}

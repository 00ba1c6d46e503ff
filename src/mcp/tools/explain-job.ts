import { z } from 'zod';
import type { JobWait } from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import type { WalkStep } from '../../core/policy/decision.ts';
import { waitText } from '../../views/wait-text.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { shownAttempt, toShownAttempt } from '../failure-records.ts';
import { hintText } from '../hint-text.ts';
import { defineTool, jobArgument, leftOutField, summaryField, workflowIdArgument } from '../tool.ts';
import { type TextLimits, untrustedText } from '../untrusted-text.ts';

const SHOWN_ATTEMPTS = 10;
const WALK: TextLimits = { lines: 20, bytes: 4 * 1024, keep: 'end' };

export const explainJobTool = defineTool({
  name: 'explain_job',
  title: 'Explain a job',
  description:
    'Why a job waits, was retried, failed or waits for a decision: for each attempt the rules of the failure path that were asked and why each did or did not apply, what happens next by itself, and what helps. Use it before you decide against the policy of the workflow.',
  kind: 'reads',
  input: z.strictObject({ workflow_id: workflowIdArgument, job_id: jobArgument }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    job_id: z.int(),
    name: z.string(),
    status: z.string(),
    headline: untrustedText.nullable(),
    waits: untrustedText.nullable().describe('What a ready job waits for, and who holds it; one line each.'),
    next: untrustedText.nullable().describe('What happens next by itself.'),
    hint: z.string().nullable().describe('What helps; null: nothing is to be done.'),
    attempts: z
      .array(
        shownAttempt.extend({
          walk: untrustedText.describe('The rules in the order they were asked; the last one decided.'),
        }),
      )
      .describe('Newest first, at most 10.'),
    left_out: leftOutField,
  }),
  async run(session, { workflow_id, job_id: ref }) {
    const { job, waits, headline, next, hint, attempts } = await session.engine.explain(workflow_id, ref);
    const guard = await session.guardFor(workflow_id, [job.id]);
    const shown = attempts
      .slice(-SHOWN_ATTEMPTS)
      .reverse()
      .map(({ attempt, walk }) => ({
        ...toShownAttempt(attempt, guard),
        walk: guard.mark(walk.map(stepText).join('\n'), WALK),
      }));
    const { taken } = takeWithin(shown, ANSWER_BYTES - 4096);
    return {
      summary: `Job ${job.id} of workflow ${workflow_id} is ${job.status} after ${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}.`,
      workflow_id,
      job_id: job.id,
      name: guard.line(jobLabel(job)),
      status: job.status,
      headline: guard.reason(headline),
      waits: waits.length === 0 ? null : guard.mark(waits.map(waitLine).join('\n'), WALK),
      next: guard.reason(next),
      hint: hint === null ? null : guard.line(hintText(hint)),
      attempts: taken,
      left_out: attempts.length - taken.length,
    };
  },
});

function waitLine(wait: JobWait): string {
  return waitText(wait, (ms) => new Date(ms).toISOString());
}

function stepText({ rule, applies, because }: WalkStep): string {
  return `${rule}: ${applies ? 'applies' : 'does not apply'}, ${because.replaceAll('\n', ' ')}`;
}

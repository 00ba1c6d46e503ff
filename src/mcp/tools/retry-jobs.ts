import { z } from 'zod';
import { RETRYABLE_STATUSES } from '../../core/selection/retryable.ts';
import { isSelective } from '../../core/selection/selection.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { nextStep } from '../hint-text.ts';
import {
  defineTool,
  jobArgument,
  leftOutField,
  nextField,
  summaryField,
  workflowIdArgument,
} from '../tool.ts';
import { ToolError } from '../tool-error.ts';

const FAILED = RETRYABLE_STATUSES.filter((status) => status !== 'running');

const patternList = z.array(z.string().min(1).max(1000)).min(1).max(100);

export const retryJobsTool = defineTool({
  name: 'retry_jobs',
  title: 'Retry chosen jobs',
  description:
    'One more attempt for failed jobs, chosen by name, pattern, status or fingerprint; all of them or none. With from alone, these jobs and everything downstream start over, completed ones too: use it when an input or a script was fixed, and only on request. Jobs that wait for a decision are not for this tool: classify_and_resolve_failures decides about them. (dry_run defaults to true): read the list first. Each job counts as a decision of yours, and a job is tried again at most 3 times in a run by agents. Running attempts are left alone.',
  kind: 'opt_in',
  effects: { destructive: true, idempotent: false },
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    jobs: z.array(jobArgument).min(1).max(1000).optional().describe('Numbers, names or labels.'),
    patterns: patternList.optional().describe('Such as sim_*: * is any text, ? one character.'),
    failed: z.boolean().default(false).describe('true: the failed ones of those named, or of all jobs.'),
    status: z.array(z.enum(FAILED)).min(1).optional().describe('The same for these statuses alone.'),
    fingerprint: z.string().min(1).max(200).optional().describe('Only failures that look like this.'),
    from: z.array(jobArgument).min(1).max(100).optional().describe('Jobs with everything downstream.'),
    only: z.boolean().default(false).describe('With from alone: without what is downstream.'),
    reason: z.string().min(1).max(2000).describe('Why a retry helps, in your own words.'),
    dry_run: z.boolean().default(true).describe('true: show what would be retried, without retrying.'),
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    dry_run: z.boolean(),
    mode: z
      .enum(['retry', 'again', 'new_run', 'nothing'])
      .describe(
        'retry: one more attempt in the same run. again: they start over in it. new_run: in a new run.',
      ),
    run_id: z.int(),
    jobs: z.array(z.object({ job_id: z.int(), name: z.string(), status: z.string() })),
    left_out: leftOutField,
    waiting_again: z.int().describe('Jobs that were canceled because of these, and wait for them again.'),
    decisions_left: z.int().describe('Decisions that this server will still take.'),
    next: nextField,
  }),
  run: (session, { workflow_id, jobs, patterns, failed, status, fingerprint, from, only, reason, dry_run }) =>
    session.inTurn(async () => {
      const statuses = statusesOf(failed, status);
      const selection = {
        ...(jobs !== undefined && { jobs }),
        ...(patterns !== undefined && { patterns }),
        ...(statuses !== undefined && { statuses }),
        ...(fingerprint !== undefined && { fingerprint }),
        ...(from !== undefined && { from }),
        ...(only && { only }),
      };
      if (!isSelective(selection)) {
        throw wrong(
          'it names no jobs',
          'name jobs, patterns, a status or a fingerprint, or say failed or from',
        );
      }
      if (only && (from === undefined || statuses !== undefined || fingerprint !== undefined)) {
        throw wrong('only goes with from, without failed, status and fingerprint', 'leave only out');
      }
      const guard = session.guard();
      const result = await session.engine.retryJobs(workflow_id, {
        ...selection,
        actor: session.actor,
        reason: guard.clean(reason),
        agent: session.agentLimits,
        dry_run,
      });
      if (!dry_run) session.countDecisions(result.jobs.length);
      const names = await session.guardFor(
        workflow_id,
        result.jobs.slice(0, 200).map(({ id }) => id),
      );
      const shown = result.jobs.map(({ id, name, status: before }) => ({
        job_id: id,
        name: names.line(name),
        status: before,
      }));
      const { taken, left_out } = takeWithin(shown, ANSWER_BYTES / 2);
      const verb = dry_run ? 'would be' : 'are';
      return {
        summary: `${dry_run ? 'Nothing was changed. ' : ''}${result.jobs.length} ${verb} tried again.`,
        workflow_id,
        dry_run,
        mode: result.mode,
        run_id: result.run_id,
        jobs: taken,
        left_out,
        waiting_again: result.revived.length,
        decisions_left: await session.decisionsLeft(),
        next: dry_run
          ? 'Call it again with dry_run false to apply this.'
          : nextStep(await session.engine.status(workflow_id)),
      };
    }),
});

type Failed = (typeof FAILED)[number];

function statusesOf(failed: boolean, status: Failed[] | undefined): Failed[] | undefined {
  if (failed && status !== undefined) throw wrong('failed and status are two choices of the same', 'use one');
  return failed ? [...FAILED] : status;
}

function wrong(message: string, next: string): ToolError {
  return new ToolError({ code: 'INVALID_ARGUMENT', message, next: `nothing was changed; ${next}` });
}

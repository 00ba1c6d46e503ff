import { z } from 'zod';
import type { ResolveDecision, ResolvedJob } from '../../contract/records/resolution.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { nextStep } from '../hint-text.ts';
import {
  defineTool,
  dryRunArgument,
  leftOutField,
  nextField,
  summaryField,
  workflowIdArgument,
} from '../tool.ts';
import type { TextGuard } from '../untrusted-text.ts';

const SHOWN_CANCELED = 10;

const classification = z.strictObject({
  job_id: z.int().positive().describe('A job that list_pending_failed_jobs lists.'),
  action: z
    .enum(['retry', 'fail'])
    .describe('retry: it is tried again. fail: it has failed for good, and its dependents are canceled.'),
  memory: z.string().max(40).optional().describe('With retry: what it may use then, e.g. 8g.'),
  runtime: z.string().max(40).optional().describe('With retry: how long it may run then, e.g. 2h or PT2H.'),
  reason: z.string().max(2000).optional().describe('Why, in your own words; kept in the audit trail.'),
  confidence: z.number().min(0).max(1).optional().describe('How sure you are, from 0 to 1; without it 0.'),
});

const resolvedJob = z.object({
  job_id: z.int(),
  name: z.string(),
  action: z.enum(['retry', 'fail']),
  result: z
    .enum(['resolved', 'already_resolved', 'left'])
    .describe('left: your confidence was too low, the job waits for a person.'),
  attempt_id: z.int(),
  confidence: z.number().nullable(),
  memory_bytes: z.number().nullable(),
  runtime_ms: z.number().nullable(),
  canceled: z.array(z.string()).describe('Dependents that are canceled because of it; at most 10.'),
  canceled_count: z.int(),
});

export const classifyAndResolveFailures = defineTool({
  name: 'classify_and_resolve_failures',
  title: 'Decide about failed jobs',
  description:
    'Applies your decisions about jobs that wait for one: all of them or, if one is refused, none. retry has the job tried again, with more memory or runtime if you say so; fail is final and cancels its dependents. Use it after list_pending_failed_jobs, for jobs listed there only; first with dry_run true to see the effect. The same decision again changes nothing (already_resolved). Leave out jobs you cannot judge.',
  kind: 'writes',
  effects: { destructive: true, idempotent: true },
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    classifications: z.array(classification).min(1).max(1000),
    dry_run: dryRunArgument,
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    dry_run: z.boolean(),
    jobs: z.array(resolvedJob),
    left_out: leftOutField,
    decisions_left: z.int().describe('Decisions that this server will still take.'),
    next: nextField,
  }),
  run: (session, { workflow_id, classifications, dry_run }) =>
    session.inTurn(async () => {
      const words = session.guard();
      const { jobs } = await session.engine.resolve(workflow_id, {
        decisions: classifications.map((each) => decisionOf(each, words)),
        actor: session.actor,
        dry_run,
        agent: session.agentLimits,
      });
      const resolved = jobs.filter(({ result }) => result === 'resolved').length;
      if (!dry_run) session.countDecisions(resolved);
      const guard = await session.guardFor(
        workflow_id,
        jobs.slice(0, 200).map(({ job_id }) => job_id),
      );
      const { taken, left_out } = takeWithin(
        jobs.map((job) => toResolvedJob(job, guard)),
        ANSWER_BYTES - 2048,
      );
      const status = await session.engine.status(workflow_id);
      return {
        summary: summaryOf(jobs, dry_run),
        workflow_id,
        dry_run,
        jobs: taken,
        left_out,
        decisions_left: await session.decisionsLeft(),
        next: dry_run ? 'Call it again without dry_run to apply this.' : nextStep(status),
      };
    }),
});

/** The reason is read by people later: what must not be shown is not stored either. */
function decisionOf({ reason, ...rest }: z.infer<typeof classification>, words: TextGuard): ResolveDecision {
  const { job_id, action, memory, runtime, confidence } = rest;
  return {
    job_id,
    action,
    ...(memory !== undefined && { memory }),
    ...(runtime !== undefined && { runtime }),
    ...(reason !== undefined && { reason: words.clean(reason) }),
    ...(confidence !== undefined && { confidence }),
  };
}

function toResolvedJob(job: ResolvedJob, guard: TextGuard): z.infer<typeof resolvedJob> {
  const { reason: _, canceled, ...facts } = job;
  return {
    ...facts,
    name: guard.line(job.name),
    canceled: canceled.slice(0, SHOWN_CANCELED).map((name) => guard.line(name)),
    canceled_count: canceled.length,
  };
}

function summaryOf(jobs: readonly ResolvedJob[], dryRun: boolean): string {
  const count = (wanted: Partial<ResolvedJob>) =>
    jobs.filter((job) => job.action === (wanted.action ?? job.action) && job.result === wanted.result).length;
  const parts = [
    `${count({ action: 'retry', result: 'resolved' })} ${dryRun ? 'would be' : 'are'} tried again`,
    `${count({ action: 'fail', result: 'resolved' })} ${dryRun ? 'would be' : 'are'} failed`,
    `${count({ result: 'already_resolved' })} had been resolved so before`,
    `${count({ result: 'left' })} left for a person`,
  ];
  return `${dryRun ? 'Nothing was changed. ' : ''}Of ${jobs.length}: ${parts.join(', ')}.`;
}

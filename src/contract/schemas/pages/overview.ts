import { z } from 'zod';
import { cause, id, millis } from '../scalars.ts';
import { workerSchema, workflowSchema, workflowStatus } from '../workflow-records.ts';

/** A workflow in a list, with as much of its status as a line shows. */
export const workflowSummary = z
  .object({
    workflow: workflowSchema,
    counts: workflowStatus.shape.counts,
    complete: z.boolean(),
    exit_code: workflowStatus.shape.exit_code,
    started_at_ms: millis.nullable(),
    finished_at_ms: millis.nullable(),
    /** Workers that are alive and drive this workflow. */
    workers: z.array(id),
    /** The request of which it is a round; null: it is none. */
    request: z.string().nullable(),
  })
  .meta({ id: 'WorkflowSummary' });

const ofWorkflow = { workflow_id: id, workflow_name: z.string() };

/** Something that stays as it is until a decision. */
export const attentionItem = z
  .discriminatedUnion('kind', [
    z
      .object({
        kind: z.literal('failures'),
        ...ofWorkflow,
        fingerprint: z.string(),
        cause,
        match_code: z.int().nullable(),
        /** How one of them ended, in words. */
        error: z.string(),
        /** How many jobs wait for a decision. */
        jobs: z.int(),
        /** One of them, with the attempt that failed. */
        sample: z.object({ job_id: id, name: z.string(), run_id: id, attempt_id: z.int() }),
        finished_at_ms: millis,
      })
      .describe('Jobs of a workflow that wait for a decision, and whose failures look alike.'),
    z
      .object({
        kind: z.literal('scheduler'),
        ...ofWorkflow,
        name: z.string(),
        reason: z.string(),
        paused_at_ms: millis,
      })
      .describe('A scheduler that submits no allocation until it is resumed.'),
    z
      .object({ kind: z.literal('worker'), worker: workerSchema })
      .describe('A worker that is suspect, or lost with jobs that are about to be taken back.'),
  ])
  .meta({ id: 'AttentionItem' });

import { z } from 'zod';
import { ALLOCATION_STATES } from '../../core/allocation/allocation-transitions.ts';
import type { SchedulerModel } from '../../core/allocation/scheduler.ts';
import { ALLOCATION_ENDS } from '../cluster.ts';
import { schemaFor } from '../schema-for.ts';
import { amount, id, millis, reason } from './scalars.ts';

const schedulerName = z.string().min(1).max(200);
const option = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[a-z][a-z0-9-]*$/, 'must be a long option without dashes');
const count = z.int().min(0).max(1_000_000);
const oneLine = z
  .string()
  .max(4096)
  .regex(/^[^\0\n\r]*$/, 'must be one line');

/** What a workflow asks a cluster for. */
export const schedulerModel = schemaFor<SchedulerModel>()(
  z
    .strictObject({
      name: schedulerName,
      options: z
        .record(option, oneLine.nullable())
        .describe('Long options of `sbatch` without dashes; null: the option has no value.'),
      extra: z.array(oneLine).max(100).describe('More options, each as one word.'),
      nodes: z.int().min(1).max(1_000_000),
      walltime_ms: amount.nullable(),
      cpus: z.number().min(0).max(1_000_000).nullable().describe('Of one node; null: not known.'),
      memory_bytes: amount.nullable(),
      gpus: count.nullable(),
      serialize: z.boolean().describe('The next allocation begins when the one before has ended.'),
      worker: z.strictObject({
        idle_ms: amount,
        take_until_ms: amount,
        end_before_ms: amount,
        stays: z.boolean(),
      }),
    })
    .meta({ id: 'SchedulerModel' }),
);

const seen = z
  .object({
    cpus: z.number(),
    memory_bytes: z.number(),
    gpus: z.number(),
    labels: z.array(z.string()),
    site: z.string(),
    time_left_ms: millis.nullable(),
  })
  .describe('What workers in its allocations had at most; null before the first one came.');

export const schedulerSchema = z
  .object({
    workflow_id: id,
    name: z.string(),
    model: schedulerModel,
    /** No allocation is ordered or submitted until it is resumed. */
    paused: z.object({ at_ms: millis, reason: z.string() }).nullable(),
    /** Submissions that were refused in a row, and what was said to the last one. */
    refusals: z.int(),
    refusal: z.string().nullable(),
    /** When the next submission may be made; null: at any time. */
    next_try_at_ms: millis.nullable(),
    /** Allocations in a row that ended without their worker. */
    misses: z.int(),
    seen: seen.nullable(),
    /** Allocations that have not ended. `queued` includes those that are about to be submitted. */
    allocations: z.object({ queued: z.int(), running: z.int() }),
  })
  .meta({ id: 'Scheduler' });

export const allocationSchema = z
  .object({
    id,
    workflow_id: id,
    run_id: id,
    scheduler: z.string(),
    /** Its name at the cluster; unique for ever. */
    tag: z.string(),
    state: z.enum(ALLOCATION_STATES),
    /** What the cluster calls it; null before it is submitted. */
    cluster_id: z.string().nullable(),
    /** The cluster's word for its state, and for why it waits. */
    word: z.string().nullable(),
    why: z.string().nullable(),
    /** It waits for something that cannot come. */
    never: z.boolean(),
    starts_at_ms: millis.nullable().describe('When it is expected to begin, or has begun.'),
    ends_at_ms: millis.nullable().describe('When the cluster will end it at the latest.'),
    restarts: z.int().describe('How often it was requeued.'),
    workers: z.int().describe('Workers that registered from it since it last began.'),
    ordered_at_ms: millis,
    submitted_at_ms: millis.nullable(),
    started_at_ms: millis.nullable(),
    ended_at_ms: millis.nullable(),
    /** `unsubmitted`: it was canceled before the cluster was asked for it. */
    end: z.enum([...ALLOCATION_ENDS, 'unsubmitted']).nullable(),
    /** Why it is to be canceled, or was; null if it is not. */
    cancel_reason: z.string().nullable(),
    /** Who ordered it; null: an action, or because jobs need it. */
    actor: z.string().nullable(),
  })
  .meta({ id: 'Allocation' });

export const schedulersChange = z
  .strictObject({
    schedulers: z.array(schedulerModel).min(1).max(100).describe('Those of the same name are replaced.'),
  })
  .meta({ id: 'SchedulersChange' });

export const newAllocations = z
  .strictObject({
    scheduler: schedulerName.describe('Name of one of the schedulers of the workflow.'),
    count: z.int().min(1).max(1000).exactOptional().describe('(default: 1)'),
    one_worker_per_node: z.boolean().exactOptional().describe('(default: false)'),
    max_parallel: z.int().min(1).max(1_000_000).exactOptional(),
    schedulers: z
      .array(schedulerModel)
      .max(100)
      .exactOptional()
      .describe('Added to the workflow first; those of the same name are replaced.'),
  })
  .meta({ id: 'NewAllocations' });

export const reasonRequest = z.strictObject({ reason: reason.exactOptional() });

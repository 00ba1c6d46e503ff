import { z } from 'zod';
import type { FieldChange } from '../../../core/rerun/describe-changes.ts';
import { type RerunReason, UPDATE_ACTIONS } from '../../../core/rerun/rerun-reason.ts';
import { schemaFor } from '../../schema-for.ts';
import { staleReasonSchema } from '../file-marks.ts';
import { newWorkflowSchema } from '../new-workflow.ts';
import { id, jobStatus } from '../scalars.ts';

const MOST_STALE = 1_000_000;

const of = <K extends string>(kind: K) => ({ kind: z.literal(kind) });
const at = <K extends string>(kind: K) => z.strictObject({ ...of(kind), path: z.string() });
const about = <K extends string>(kind: K) => z.object({ ...of(kind), job: z.string() });
const named = <K extends string>(kind: K) => z.object({ ...of(kind), name: z.string() });

const rerunReason = schemaFor<RerunReason>()(
  z
    .discriminatedUnion('kind', [
      z.object(of('new')),
      z.object(of('removed')),
      z.object(of('command_changed')),
      at('input_added'),
      at('input_removed'),
      at('output_added'),
      at('output_removed'),
      z.object({ ...of('setting_changed'), field: z.string() }),
      about('dependency_added'),
      about('dependency_removed'),
      z.object(of('dependencies_changed')),
      named('variable_changed'),
      named('user_data_changed'),
      at('input_changed'),
      at('output_missing'),
      at('output_changed'),
      z.object({ ...of('unsuccessful'), status: jobStatus }),
      z.object(of('items_changed')),
      about('upstream'),
      z.object(of('policy_changed')),
    ])
    .meta({ id: 'RerunReason' }),
);

const fieldChange = schemaFor<FieldChange>()(
  z
    .object({
      field: z.string(),
      from: z
        .string()
        .nullable()
        .describe('The old value, shortened; of lists and objects only what differs.'),
      to: z.string().nullable(),
      diff: z.array(z.string()).nullable().describe('Of a text of several lines: the lines that differ.'),
    })
    .meta({ id: 'FieldChange' }),
);

export const updateRequest = newWorkflowSchema
  .pick({ spec: true, file_name: true, retry_defaults: true, set: true, files: true, overrides: true })
  .extend({
    stale: z
      .array(z.strictObject({ job_id: id, reason: staleReasonSchema }))
      .max(MOST_STALE)
      .exactOptional()
      .describe('Jobs whose files are known to be others than those of their last attempt: they run again.'),
    dry_run: z.boolean().exactOptional().describe('true: returns the plan, and changes nothing.'),
    limit: z
      .int()
      .min(0)
      .max(1_000_000)
      .exactOptional()
      .describe('At most so many jobs in the answer (default: 1,000); the counts are of all.'),
  })
  .meta({ id: 'UpdateRequest' });

const count = z.int();

export const updateResult = z
  .object({
    workflow_id: id,
    dry_run: z.boolean(),
    mode: z
      .enum(['nothing', 'same_run', 'new_run'])
      .describe(
        '`nothing`: the workflow is what the spec says. `same_run`: the current run continues. `new_run`: jobs that have run start over, in a new run.',
      ),
    run_id: id.describe('The run in which the workflow continues.'),
    is_active: z.boolean().describe('A process runs it: jobs that have started keep their old definition.'),
    counts: z.object({
      add: count,
      run_again: count,
      change: count,
      policy: count,
      remove: count,
      started: count,
      canceled: count,
      unchanged: count,
    }),
    /** What is different beside the jobs. */
    workflow: z.array(fieldChange),
    jobs: z.array(
      z.object({
        job_id: id.nullable().describe('null: it is new.'),
        name: z.string(),
        status: jobStatus.nullable(),
        action: z.enum(UPDATE_ACTIONS),
        reason: rerunReason,
        changes: z.array(fieldChange),
      }),
    ),
    /** How many jobs of the plan are not in the list. */
    left_off: count,
    notes: z.array(z.string()).describe('Keys of the spec that were accepted and have no effect.'),
  })
  .meta({ id: 'UpdateResult' });

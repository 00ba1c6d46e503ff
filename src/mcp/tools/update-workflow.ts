import { z } from 'zod';
import { UPDATE_ACTIONS } from '../../core/rerun/rerun-reason.ts';
import { rerunReasonText, updateCountsText } from '../../views/rerun/update-text.ts';
import { defineTool, nextField, summaryField, workflowIdArgument } from '../tool.ts';
import { checkSpec, FILE_NAMES } from './create-workflow.ts';

const MOST_BYTES = 1024 * 1024;
const SHOWN = 50;

export const updateWorkflowTool = defineTool({
  name: 'update_workflow',
  title: 'Apply an edited spec to a workflow',
  description:
    'Compares a stored workflow with an edited spec and, with dry_run false, makes it what the spec says: jobs whose command, files or dependencies changed and jobs that did not complete run again, with everything downstream; what completed keeps its result. It never runs anything: a person does that with `holdfast run`. (dry_run defaults to true): read the reasons first.',
  kind: 'opt_in',
  effects: { destructive: true, idempotent: true },
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    spec: z.string().min(1).max(MOST_BYTES).describe('The whole text of the edited spec.'),
    format: z.enum(['yaml', 'json', 'json5']).default('yaml'),
    dry_run: z.boolean().default(true).describe('true: only compare, change nothing.'),
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    dry_run: z.boolean(),
    mode: z.enum(['nothing', 'same_run', 'new_run']),
    run_id: z.int(),
    jobs: z
      .array(z.object({ name: z.string(), action: z.enum(UPDATE_ACTIONS), reason: z.string() }))
      .describe('At most 50.'),
    more: z.int().describe('How many jobs of the plan are not in the list.'),
    next: nextField,
  }),
  run: (session, { workflow_id, spec, format, dry_run }) =>
    session.inTurn(async () => {
      const name = FILE_NAMES[format];
      const { model } = await checkSpec(session, spec, name);
      const update = await session.engine.updateWorkflow(workflow_id, {
        model,
        source: { text: spec, name, retry_defaults: session.place.retryDefaults },
        actor: session.actor,
        dry_run,
        limit: SHOWN,
      });
      const guard = session.guard();
      return {
        summary: `${dry_run ? 'Nothing was changed. With dry_run false' : 'Applied'}: ${updateCountsText(update)}.`,
        workflow_id,
        dry_run,
        mode: update.mode,
        run_id: update.run_id,
        jobs: update.jobs.map((job) => ({
          name: guard.line(job.name),
          action: job.action,
          reason: guard.line(rerunReasonText(job.reason)),
        })),
        more: update.left_off,
        next: dry_run
          ? 'Call it again with dry_run false to apply it.'
          : `A person runs it with \`holdfast run ${workflow_id}\`.`,
      };
    }),
});

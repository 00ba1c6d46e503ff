import { z } from 'zod';
import { HoldfastError } from '../../core/errors.ts';
import type { WorkflowModel } from '../../core/model/workflow-model.ts';
import { findUnfitting, labelsOf } from '../../core/placement/fit.ts';
import { formatProblem } from '../../spec/problem.ts';
import type { Session } from '../session.ts';
import { defineTool, nextField, summaryField } from '../tool.ts';

const MOST_BYTES = 1024 * 1024;
const SHOWN = 50;
export const FILE_NAMES = { yaml: 'workflow.yaml', json: 'workflow.json', json5: 'workflow.json5' } as const;

export const createWorkflowTool = defineTool({
  name: 'create_workflow',
  title: 'Check and store a workflow',
  description:
    'Checks a workflow spec and, with dry_run false, stores it as a new workflow. It never runs anything: a person does that with `holdfast run`. All mistakes come at once, with line and column; correct them and call again. (dry_run defaults to true).',
  kind: 'opt_in',
  effects: { destructive: false, idempotent: false },
  input: z.strictObject({
    spec: z.string().min(1).max(MOST_BYTES).describe('The whole text of the spec.'),
    format: z.enum(['yaml', 'json', 'json5']).default('yaml'),
    dry_run: z.boolean().default(true).describe('true: only check it, store nothing.'),
  }),
  output: z.object({
    summary: summaryField,
    dry_run: z.boolean(),
    workflow_id: z.int().nullable().describe('null with dry_run.'),
    name: z.string(),
    job_count: z.int(),
    jobs: z.array(z.string()).describe('Names, at most 50.'),
    warnings: z.array(z.string()),
    notes: z.array(z.string()).describe('Keys that were accepted and have no effect.'),
    next: nextField,
  }),
  run: (session, { spec, format, dry_run }) =>
    session.inTurn(async () => {
      const { model, warnings, notes } = await checkSpec(session, spec, FILE_NAMES[format]);
      const { cwd, outputDir, retryDefaults } = session.place;
      const created = dry_run
        ? null
        : await session.engine.createWorkflow({
            model,
            source: { text: spec, name: FILE_NAMES[format], retry_defaults: retryDefaults },
            cwd,
            output_dir: outputDir,
            actor: session.actor,
          });
      const guard = session.guard();
      return {
        summary:
          created === null
            ? `The spec is valid: ${model.jobs.length} jobs. Nothing was stored.`
            : `Stored as workflow ${created.id} with ${model.jobs.length} jobs. Nothing runs yet.`,
        dry_run,
        workflow_id: created?.id ?? null,
        name: guard.line(model.name),
        job_count: model.jobs.length,
        jobs: model.jobs.slice(0, SHOWN).map(({ name }) => guard.line(name)),
        warnings: warnings.slice(0, SHOWN).map((text) => guard.line(text)),
        notes: notes.slice(0, SHOWN).map((text) => guard.line(text)),
        next:
          created === null
            ? 'Call it again with dry_run false to store it.'
            : `A person starts it with \`holdfast run ${created.id}\`.`,
      };
    }),
});

/** Reads a spec; all mistakes come at once. */
export async function checkSpec(
  { place }: Session,
  text: string,
  fileName: string,
): Promise<{ model: WorkflowModel; warnings: string[]; notes: string[] }> {
  // What reads specs is large, and most agents never write one.
  const { loadSpec } = await import('../../spec/load-spec.ts');
  const loaded = loadSpec(text, fileName, { retryDefaults: place.retryDefaults });
  if (!loaded.ok) {
    const problems = loaded.problems.slice(0, SHOWN).map(formatProblem);
    throw new HoldfastError('INVALID_SPEC', { problems: problems.join('\n') });
  }
  // Labels are given by who runs it.
  const unfitting = findUnfitting(loaded.model, { ...place.offer, labels: labelsOf(loaded.model) });
  if (unfitting) throw unfitting;
  return {
    model: loaded.model,
    warnings: loaded.warnings.map(formatProblem),
    notes: loaded.notes.map(formatProblem),
  };
}

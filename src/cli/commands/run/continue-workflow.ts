import type { Engine, NewWorkflow, WorkflowUpdate } from '../../../contract/engine.ts';
import type { WorkflowRecord } from '../../../contract/records/records.ts';
import type { UpdateResult } from '../../../contract/records/update.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { WorkflowModel } from '../../../core/model/workflow-model.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { CommandContext, Invocation } from '../../command-context.ts';
import { runDueActions } from '../../run/run-due-actions.ts';
import { findStale } from '../../stale/find-stale.ts';
import { missingForUpdate } from '../../stale/missing-for-update.ts';
import { noteGone } from '../../stale/note-stale.ts';
import { updateLines, updateView } from '../../texts/update-text.ts';

/** Flags that belong to a workflow from its creation on. */
const OF_CREATION = { cwd: '--cwd', outputDir: '--output-dir' };

/** The value of `--continue`: a number, or null for the newest workflow of the spec's name; undefined: it was not given. */
export function continueOption({ options }: Pick<Invocation, 'options'>): number | null | undefined {
  const given = options.continue;
  if (given === undefined) return undefined;
  for (const [key, flag] of Object.entries(OF_CREATION)) {
    if (options[key] === undefined) continue;
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: flag,
      problem: 'a workflow that is continued keeps what it was created with',
    });
  }
  return given === true ? null : Number(given);
}

/** A workflow that is to become what a spec says. */
interface Continued {
  engine: Engine;
  stored: WorkflowRecord;
}

/** The workflow of this number, or the newest of the name. */
export async function findContinued(
  context: CommandContext,
  id: number | null,
  name: string,
): Promise<Continued> {
  const engine = await context.openEngine();
  return { engine, stored: await workflowToContinue(context, engine, id, name) };
}

/**
 * Makes a stored workflow what the spec says. Returns its number, or null after a dry run. `needed`: what is to run of the
 * spec.
 */
export async function continueSpec(
  context: CommandContext,
  { engine, stored }: Continued,
  edited: NewWorkflow,
  needed: WorkflowModel,
  dryRun: boolean,
): Promise<number | null> {
  if (!dryRun) await runDueActions(context, engine, stored.id);
  const update = await updateStored(context, engine, stored, edited, needed, dryRun);
  if (dryRun) {
    context.show(updateView, { update, next: null });
    return null;
  }
  const { errorPaint: paint, command } = context;
  const style = { width: Infinity, now: 0, paint, cwd: stored.cwd, command };
  for (const line of updateLines(update, style)) context.narrate(line);
  return stored.id;
}

async function workflowToContinue(
  { narrate }: CommandContext,
  engine: Engine,
  id: number | null,
  name: string,
): Promise<WorkflowRecord> {
  if (id !== null) return engine.getWorkflow(id);
  for (let after: number | null = null; ; ) {
    const page = await engine.listWorkflows({ limit: 100, ...(after !== null && { after }) });
    const found = page.items.find((workflow) => workflow.name === name);
    if (found !== undefined) {
      narrate(`continues workflow ${found.id}, the newest one named ${visibleText(name)}`);
      return found;
    }
    if (page.next === null) throw new HoldfastError('NOTHING_TO_CONTINUE', { name });
    after = page.next;
  }
}

/** Compares the stored workflow with the spec, and unless it is a dry run makes it what the spec says. */
export async function updateStored(
  context: CommandContext,
  engine: Engine,
  stored: WorkflowRecord,
  { model, source, actor }: Pick<NewWorkflow, 'model' | 'source' | 'actor'>,
  needed: WorkflowModel,
  dryRun: boolean,
): Promise<UpdateResult> {
  const found = await findStale(engine, stored);
  const update: WorkflowUpdate = {
    model,
    ...(source !== undefined && { source }),
    actor,
    stale: found.stale.map(({ job_id, reason }) => ({ job_id, reason })),
    dry_run: dryRun,
  };
  // Files of the workers of a server are theirs to check.
  if (context.server === null) {
    const missing = await missingForUpdate(engine, stored, update, needed, found.waiting);
    if (missing !== null) throw missing;
  }
  noteGone(context, found);
  return engine.updateWorkflow(stored.id, update);
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Engine, WorkflowUpdate } from '../../contract/engine.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import type { HoldfastError } from '../../core/errors.ts';
import { listMissingInputs, missingInputs } from '../../core/model/missing-inputs.ts';
import type { WorkflowModel } from '../../core/model/workflow-model.ts';
import type { UpdateAction } from '../../core/rerun/rerun-reason.ts';

/** Jobs that run because of an update. */
const RUNS: ReadonlySet<UpdateAction> = new Set(['add', 'run_again', 'change']);

/**
 * Inputs that do not exist and that no job writes, of the jobs that run after an update; null: there is none. A job that
 * keeps its result needs them no more. `needed`: what is to run of the edited spec; `waiting`: jobs that have not started.
 */
export async function missingForUpdate(
  engine: Engine,
  stored: WorkflowRecord,
  update: WorkflowUpdate,
  needed: WorkflowModel,
  waiting: readonly { name: string }[],
): Promise<HoldfastError | null> {
  const missing = listMissingInputs(needed, (path, directory) =>
    existsSync(resolve(stored.cwd, directory ?? '.', path)),
  );
  if (missing.length === 0) return null;
  const { jobs } = await engine.updateWorkflow(stored.id, {
    ...update,
    dry_run: true,
    limit: Number.MAX_SAFE_INTEGER,
  });
  const running = new Set(
    [...waiting, ...jobs.filter(({ action }) => RUNS.has(action))].map(({ name }) => name),
  );
  const found = missing.filter(({ job }) => running.has(job));
  return found.length === 0 ? null : missingInputs(found);
}

import type { PruneRequest, PruneResult, Removal } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { appendAudit } from '../../store/rows/access/audit-rows.ts';
import { countRows, listPrunable } from '../../store/rows/workflows/housekeeping-rows.ts';
import { hideWorkflow } from '../../store/rows/workflows/storing-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import type { IsAlive } from '../workers/adopt-run.ts';
import { refuseBusy } from './refuse-busy.ts';

/** Files are counted by who can see them. */
const NO_FILES = { count: 0, bytes: 0 };

const PRUNED_STATES = ['completed', 'failed', 'canceled'] as const;

/** From its commit on the workflow is gone for everybody. Its rows are removed afterwards, in short transactions. */
export function* deleteWorkflow(
  workflow: WorkflowRow,
  request: { actor: string; dry_run?: boolean },
  now: number,
  isAlive: IsAlive,
): Script<Removal> {
  if (workflow.request_id !== null) throw new HoldfastError('ROUND_KEPT', { id: workflow.id });
  yield* refuseBusy(workflow, now, isAlive);
  return yield* removed(workflow, request, now);
}

function* removed(
  workflow: WorkflowRow,
  { actor, dry_run = false }: { actor: string; dry_run?: boolean },
  now: number,
): Script<Removal> {
  const { id, name } = workflow;
  const counts = yield* countRows(id);
  if (!dry_run) {
    yield* hideWorkflow(id);
    yield* appendAudit({
      at: now,
      actor,
      action: 'workflow_deleted',
      subject: `workflow ${id}`,
      data: { name, ...counts },
    });
  }
  return { workflow_id: id, name, ...counts, files: NO_FILES };
}

/** All of them in one transaction: hiding a workflow is one row. What still runs something is kept. */
export function* pruneWorkflows(request: PruneRequest, now: number, isAlive: IsAlive): Script<PruneResult> {
  const { older_than_ms = 0, keep = 0, statuses = PRUNED_STATES } = request;
  const candidates = yield* listPrunable(statuses);
  const old = candidates.slice(keep).filter(({ finished_at }) => finished_at <= now - older_than_ms);
  const result: PruneResult = { removed: [], kept: candidates.length - old.length };
  for (const { id, finished_at } of old.sort((a, b) => a.id - b.id)) {
    const workflow = yield* takeWorkflow(id);
    if (yield* isBusy(workflow, now, isAlive)) result.kept += 1;
    else {
      const status = candidates.find((each) => each.id === id)!.state as PruneResult['removed'][0]['status'];
      result.removed.push({
        ...(yield* removed(workflow, request, now)),
        finished_at_ms: finished_at,
        status,
      });
    }
  }
  return result;
}

function* isBusy(workflow: WorkflowRow, now: number, isAlive: IsAlive): Script<boolean> {
  try {
    yield* refuseBusy(workflow, now, isAlive);
    return false;
  } catch (error) {
    if (error instanceof HoldfastError) return true;
    throw error;
  }
}

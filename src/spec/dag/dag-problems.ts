import { inexpressible } from '../../core/dag/inexpressible.ts';
import type { WorkflowModel } from '../../core/model/workflow-model.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../core/request/error-settings.ts';
import { planInventory, planRange } from '../../core/request/plan-units.ts';
import type { RequestModel } from '../../core/request/request-model.ts';
import type { Problem } from '../problem.ts';
import { roundWorkflow } from '../request/round-workflow.ts';
import { type NamedText, refusedPlaces } from './refused-places.ts';

/** The places of a spec that ask for what DAGMan cannot do. Empty: it can run the workflow. */
export function dagProblems(spec: NamedText, model: WorkflowModel): Problem[] {
  const refused = inexpressible(model);
  return refused.length === 0 ? [] : refusedPlaces(spec, model, refused);
}

/** The same for the rounds of a request: one unit shows it, since all are alike. */
export function dagRequestProblems(
  spec: NamedText,
  request: RequestModel,
  place: { cwd: string; output_dir: string },
): Problem[] {
  const { work, jobs_per_unit: jobs } = request;
  const units =
    work.kind === 'range'
      ? planRange(work, { cursor: work.first, delivered: 0n }, jobs, 1).units
      : planInventory(
          { fresh: [{ id: 1, path: 'item', group: null }], attempted: [] },
          work.per_job,
          jobs,
          1,
        );
  const { model } = roundWorkflow({
    model: request,
    settings: { ...DEFAULT_ERROR_SETTINGS, ...request.errors },
    overrides: {},
    version: 1,
    round: 1,
    firstUnit: 1,
    units,
    ...place,
  });
  return dagProblems(spec, model);
}

import type { JobConfig, WorkflowModel } from '../model/workflow-model.ts';
import { DEFAULT_ROUTING, type FailRoutes, type RoutingConfig } from './routes.ts';

/** What a run may override of its spec. */
export interface RoutingOverrides {
  max_loops?: number;
  /** No job is re-attempted more often by `on_fail`. */
  retry_max?: number;
  /** `on_fail`, `on_success` and `routing` count for nothing. */
  no_failure_routing?: boolean;
  /** Inputs that no job writes need not exist. */
  ignore_missing_inputs?: boolean;
  /** What JavaScript sees as `pr` and `files`. */
  context?: RoutingConfig['context'];
}

/** The model with the overrides applied. Jobs that are on call stay so: without routes nothing calls them. */
export function overrideRouting(model: WorkflowModel, overrides: RoutingOverrides): WorkflowModel {
  const {
    max_loops: maxLoops,
    retry_max: retryMax,
    no_failure_routing: noFailureRouting = false,
    ignore_missing_inputs: ignoreMissingInputs = false,
    context,
  } = overrides;
  const written = noFailureRouting ? DEFAULT_ROUTING : model.routing;
  const routing = {
    ...written,
    maxLoops: maxLoops ?? written.maxLoops,
    context: context ?? model.routing.context,
  };
  if (!noFailureRouting && !ignoreMissingInputs && retryMax === undefined) return { ...model, routing };
  const override = (written: JobConfig): JobConfig => {
    const config = ignoreMissingInputs ? { ...written, given_files: [] } : written;
    if (noFailureRouting) return { ...config, on_fail: null, on_success: null };
    if (retryMax === undefined || config.on_fail === null) return config;
    return { ...config, on_fail: cappedAt(retryMax, config.on_fail) };
  };
  return { ...model, routing, jobs: model.jobs.map((job) => ({ ...job, config: override(job.config) })) };
}

/** A cap of 0 means no re-attempt, so nothing is run before one either. */
function cappedAt(max: number, routes: FailRoutes): FailRoutes | null {
  const reattempt = { ...routes.reattempt, max: Math.min(max, routes.reattempt.max) };
  const capped = max > 0 ? { ...routes, reattempt } : { ...routes, reattempt, run: [], run_js: null };
  const { run, run_js: runJs, goto, goto_js: gotoJs } = capped;
  const leadsNowhere = reattempt.max === 0 && run.length === 0 && (runJs ?? goto ?? gotoJs) === null;
  return leadsNowhere ? null : capped;
}

import { DEFAULT_ROUTING, type FailRoutes, type RoutingConfig } from './routes.ts';
import type { JobConfig, WorkflowModel } from './workflow-model.ts';

/** What a run may say over the routing of its spec. */
export interface RoutingOverrides {
  maxLoops?: number;
  /** No job is re-attempted more often by `on_fail.retry`. */
  retryMax?: number;
  /** `on_fail`, `on_success` and `routing` count for nothing. */
  noFailureRouting?: boolean;
  /** What JavaScript sees as `pr` and `files`. */
  context?: RoutingConfig['context'];
}

/** The model with its routing as the run wants it. Jobs that are on call stay so: without routes nothing calls them. */
export function overrideRouting(model: WorkflowModel, overrides: RoutingOverrides): WorkflowModel {
  const { maxLoops, retryMax, noFailureRouting = false, context } = overrides;
  const written = noFailureRouting ? DEFAULT_ROUTING : model.routing;
  const routing = {
    ...written,
    maxLoops: maxLoops ?? written.maxLoops,
    context: context ?? model.routing.context,
  };
  if (!noFailureRouting && retryMax === undefined) return { ...model, routing };
  const override = (config: JobConfig): JobConfig => {
    if (noFailureRouting) return { ...config, onFail: null, onSuccess: null };
    return config.onFail === null ? config : { ...config, onFail: cappedAt(retryMax!, config.onFail) };
  };
  return { ...model, routing, jobs: model.jobs.map((job) => ({ ...job, config: override(job.config) })) };
}

/** With something to run there is one re-attempt even at a maximum of 0; without, nothing may be left. */
function cappedAt(max: number, routes: FailRoutes): FailRoutes | null {
  const reattempt = { ...routes.reattempt, max: Math.min(max, routes.reattempt.max) };
  const { run, runJs, goto, gotoJs } = routes;
  const leadsNowhere = reattempt.max === 0 && run.length === 0 && (runJs ?? goto ?? gotoJs) === null;
  return leadsNowhere ? null : { ...routes, reattempt };
}

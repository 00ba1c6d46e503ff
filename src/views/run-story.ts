import type { WorkflowModel } from '../core/model/workflow-model.ts';

/** What is known of a run before it begins, and how much is shown at its end. */
export interface RunStory {
  /** false: no job of the workflow has routes or code, so its events need not be read. */
  routed: boolean;
  /** Jobs have code that is evaluated whatever happens. */
  asksCode: boolean;
  debug: boolean;
  /** The path of the spec that is run, and options that give values to it; absent: not known. */
  spec?: readonly string[];
}

export function storyOf({ jobs }: WorkflowModel, debug: boolean): RunStory {
  const asksCode = jobs.some(
    ({ config: { condition, fail_if: failIf, on_success: onSuccess } }) =>
      condition !== null || failIf !== null || (onSuccess?.run_js ?? onSuccess?.goto_js ?? null) !== null,
  );
  const hasRoutes = jobs.some(({ config }) => config.on_fail !== null || config.on_success !== null);
  return { routed: asksCode || hasRoutes, asksCode, debug };
}

/** The jobs of a stored workflow are not read before the run: routes may be there. */
export function storyOfStored(debug: boolean): RunStory {
  return { routed: true, asksCode: false, debug };
}

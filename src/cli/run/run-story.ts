import type { WorkflowModel } from '../../core/workflow-model.ts';

/** What is known of a run before it begins, and how much of it is to be told at its end. */
export interface RunStory {
  /** false: no job of the workflow has routes or code, and none need be looked for. */
  routed: boolean;
  /** Jobs have code that is asked whatever happens. */
  asksCode: boolean;
  debug: boolean;
}

export function storyOf({ jobs }: WorkflowModel, debug: boolean): RunStory {
  const asksCode = jobs.some(
    ({ config: { condition, failIf, onSuccess } }) =>
      condition !== null || failIf !== null || (onSuccess?.runJs ?? onSuccess?.gotoJs ?? null) !== null,
  );
  const hasRoutes = jobs.some(({ config }) => config.onFail !== null || config.onSuccess !== null);
  return { routed: asksCode || hasRoutes, asksCode, debug };
}

/** Of a stored workflow nobody knows before it is looked at. */
export function storyOfStored(debug: boolean): RunStory {
  return { routed: true, asksCode: false, debug };
}

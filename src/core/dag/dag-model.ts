import type { WorkflowModel } from '../model/workflow-model.ts';

/** What of a workflow becomes a DAG. */
export type DagModel = Pick<
  WorkflowModel,
  'name' | 'limits' | 'maxParallel' | 'failureHandlers' | 'requirements' | 'dependencySets' | 'jobs'
>;

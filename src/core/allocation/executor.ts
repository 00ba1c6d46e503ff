/** Who runs the jobs of a workflow: workers that are there anyway, workers in allocations of a cluster, or DAGMan. */
export const WORKFLOW_EXECUTORS = ['workers', 'slurm', 'htcondor'] as const;
export type WorkflowExecutor = (typeof WORKFLOW_EXECUTORS)[number];

import type { Renderer } from './renderer.ts';

const print = (value: unknown): string => JSON.stringify(value, null, 2);

export const jsonRenderer: Renderer = {
  workflows: print,
  status: print,
  runResult: ({ status, trace }) => print({ ...status, trace }),
  jobs: print,
  attempts: print,
  events: print,
  explanation: print,
  cancellation: (result, workflowId, dryRun) =>
    print({ workflow_id: workflowId, dry_run: dryRun, ...result }),
  reset: (result, { workflowId, dryRun }) => print({ workflow_id: workflowId, dry_run: dryRun, ...result }),
  manualRetry: (job) => print(job),
  validation: print,
  plan: print,
  simulation: print,
  workflowSimulation: print,
  settings: print,
  checks: print,
};

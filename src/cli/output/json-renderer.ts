import type { Renderer } from './renderer.ts';

const print = (value: unknown): string => JSON.stringify(value, null, 2);

export const jsonRenderer: Renderer = {
  workflows: print,
  status: print,
  runResult: ({ status, trace }) => print({ ...status, trace }),
  jobs: print,
  attempts: print,
  events: print,
  explanation: (explanation, decisions = []) => print({ ...explanation, decisions }),
  failures: (groups) => print(groups),
  decisionStats: print,
  resolution: (result, { workflowId }) => print({ workflow_id: workflowId, ...result }),
  usage: print,
  cancellation: (result, workflowId, dryRun) =>
    print({ workflow_id: workflowId, dry_run: dryRun, ...result }),
  reset: (result, { workflowId, dryRun }) => print({ workflow_id: workflowId, dry_run: dryRun, ...result }),
  manualRetry: (job) => print(job),
  recovery: ({ workflowId, result, agent, wouldAsk }) =>
    print({ workflow_id: workflowId, ...result, agent, would_ask: wouldAsk }),
  validation: print,
  plan: print,
  simulation: print,
  workflowSimulation: print,
  workers: print,
  drainedWorker: print,
  tokens: print,
  createdToken: print,
  revokedToken: print,
  submission: (workflow) => print(workflow),
  settings: print,
  checks: print,
};

import { jobLabel } from '../../core/job-label.ts';
import { recordLabel } from './record-label.ts';
import type { Renderer } from './renderer.ts';
import { visibleText } from './visible-text.ts';
import { workflowState } from './workflow-state.ts';

/** A name never spans lines, or one a line would mean nothing. */
const lines = (values: (string | number)[]): string =>
  values.map((value) => visibleText(String(value))).join('\n');

export const quietRenderer: Renderer = {
  workflows: (statuses) => lines(statuses.map(({ workflow }) => workflow.id)),
  status: (status) => workflowState(status),
  runResult: ({ status }) => String(status.workflow.id),
  jobs: (jobs) => lines(jobs.map(jobLabel)),
  attempts: (attempts) =>
    lines(attempts.map((attempt) => `${recordLabel(attempt)} r${attempt.run_id} a${attempt.attempt_id}`)),
  events: (events) => lines(events.map((event) => event.id)),
  explanation: ({ job }) => job.status,
  failures: (groups) => lines(groups.map(({ fingerprint }) => fingerprint)),
  decisionStats: (stats) => lines(stats.map(({ fingerprint }) => fingerprint ?? '-')),
  resolution: ({ jobs }) =>
    lines(jobs.filter(({ result }) => result === 'resolved').map(({ job_id }) => job_id)),
  usage: (jobs) => lines(jobs.filter(({ marks }) => marks.length > 0).map(({ name }) => name)),
  cancellation: ({ canceled, stopping }) => lines([...canceled, ...stopping]),
  reset: ({ jobs }) => lines(jobs.map(({ id }) => id)),
  manualRetry: (job) => lines([job.id]),
  recovery: ({ result }) => lines(result.retried.map(({ job_id }) => job_id)),
  validation: ({ name }) => (name === null ? '' : lines([name])),
  plan: ({ waves }) => lines(waves.flatMap((wave) => wave.map((job) => job.name))),
  simulation: ({ status }) => status,
  workflowSimulation: ({ exit_code }) => String(exit_code),
  workers: (workers) => lines(workers.map(({ id }) => id)),
  drainedWorker: ({ id }) => lines([id]),
  tokens: (tokens) => lines(tokens.map(({ id }) => id)),
  createdToken: ({ secret }) => lines([secret]),
  revokedToken: ({ id }) => lines([id]),
  submission: ({ id }) => lines([id]),
  settings: (origins) => lines(origins.map(({ key }) => key)),
  checks: (checks) => lines(checks.filter(({ result }) => result !== 'ok').map(({ name }) => name)),
};

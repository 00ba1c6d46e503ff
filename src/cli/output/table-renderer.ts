import { jobLabel } from '../../core/job-label.ts';
import { createdTokenText, drainText, revokedTokenText, tokensTable, workersTable } from './access-text.ts';
import { explanationText } from './explanation-text.ts';
import { decisionStatsTable, failuresText } from './failures-text.ts';
import {
  attemptsTable,
  checksTable,
  eventsTable,
  jobsTable,
  settingsTable,
  workflowsTable,
} from './list-tables.ts';
import { planText } from './plan-text.ts';
import { recoveryText } from './recovery-text.ts';
import type { Renderer } from './renderer.ts';
import { resetText } from './reset-text.ts';
import { resolutionText } from './resolution-text.ts';
import { runResultText } from './run-result-text.ts';
import { simulationText } from './simulation-text.ts';
import { statusText } from './status-text.ts';
import type { TextStyle } from './text-style.ts';
import { usageTable } from './usage-table.ts';
import { validationText } from './validation-text.ts';
import { visibleText } from './visible-text.ts';
import { workflowSimulationText } from './workflow-simulation-text.ts';

export function tableRenderer(style: TextStyle): Renderer {
  const text = (lines: string[]): string => lines.join('\n');
  return {
    workflows: (statuses, more) => text(workflowsTable(statuses, more, style)),
    status: (status) => text(statusText(status, style)),
    runResult: (result) => text(runResultText(result, style)),
    jobs: (jobs) => text(jobsTable(jobs, style)),
    attempts: (attempts) => text(attemptsTable(attempts, style)),
    events: (events) => text(eventsTable(events, style)),
    explanation: (explanation, decisions) => text(explanationText(explanation, style, decisions)),
    failures: (groups, next) => text(failuresText(groups, next, style)),
    decisionStats: (stats) => text(decisionStatsTable(stats, style)),
    resolution: (result, facts) => text(resolutionText(result, facts, style)),
    usage: (jobs) => text(usageTable(jobs, style)),
    cancellation: ({ canceled, stopping }, workflowId, dryRun) => {
      const jobs = (count: number) => `${count} ${count === 1 ? 'job' : 'jobs'}`;
      const would = dryRun ? 'would cancel' : 'canceled';
      const stop = dryRun ? 'would stop' : 'stopping';
      const running =
        stopping.length > 0
          ? `, ${stop} ${jobs(stopping.length)} that ${stopping.length === 1 ? 'runs' : 'run'} now`
          : '';
      return `workflow ${workflowId}: ${would} ${jobs(canceled.length)}${running}`;
    },
    reset: (result, facts) => text(resetText(result, facts, style)),
    manualRetry: (job, next) =>
      text([
        `workflow ${job.workflow_id}: job ${visibleText(jobLabel(job))} is ready for attempt ${job.attempt_id + 1} of run ${job.run_id}`,
        ...(next === null ? [] : [`next: ${next}`]),
      ]),
    recovery: (report) => text(recoveryText(report, style)),
    validation: (validation) => text(validationText(validation)),
    plan: (plan, all) => text(planText(plan, all, style)),
    simulation: (simulation) => text(simulationText(simulation, style)),
    workflowSimulation: (simulation) => text(workflowSimulationText(simulation, style)),
    workers: (workers) => text(workersTable(workers, style)),
    drainedWorker: (worker) => text(drainText(worker)),
    tokens: (tokens) => text(tokensTable(tokens, style)),
    createdToken: (token) => text(createdTokenText(token, style)),
    revokedToken: (token) => text(revokedTokenText(token)),
    submission: ({ id, name, job_count }, next) =>
      text([
        `workflow ${id} ${visibleText(name)}: ${job_count} ${job_count === 1 ? 'job' : 'jobs'}`,
        `next: ${next}  (follows it)`,
      ]),
    settings: (origins) => text(settingsTable(origins, style)),
    checks: (checks) => text(checksTable(checks, style)),
  };
}

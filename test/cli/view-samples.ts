import { TEMPLATES } from '../../src/cli/templates/templates.ts';
import type { View } from '../../src/cli/terminal/view.ts';
import {
  createdTokenView,
  drainedWorkerView,
  lostWorkerView,
  revokedTokenView,
} from '../../src/cli/texts/access-text.ts';
import { cancellationView } from '../../src/cli/texts/cancellation-text.ts';
import { explanationView } from '../../src/cli/texts/explanation-text.ts';
import { failuresView } from '../../src/cli/texts/failures-text.ts';
import { bundleView } from '../../src/cli/texts/files/bundle-text.ts';
import { reportFileView } from '../../src/cli/texts/files/report-file-text.ts';
import { exportedView, importedView } from '../../src/cli/texts/files/transfer-text.ts';
import { archivedView, removalsView } from '../../src/cli/texts/housekeeping-text.ts';
import { listeningView } from '../../src/cli/texts/listening-text.ts';
import { attemptsView } from '../../src/cli/texts/lists/attempts.ts';
import { checksView } from '../../src/cli/texts/lists/checks.ts';
import { decisionStatsView } from '../../src/cli/texts/lists/decision-stats.ts';
import { eventsView } from '../../src/cli/texts/lists/events.ts';
import { jobsView } from '../../src/cli/texts/lists/jobs.ts';
import { settingsView } from '../../src/cli/texts/lists/settings.ts';
import { tokensView } from '../../src/cli/texts/lists/tokens.ts';
import { workersView } from '../../src/cli/texts/lists/workers.ts';
import { workflowsView } from '../../src/cli/texts/lists/workflows.ts';
import { pauseView } from '../../src/cli/texts/pause-text.ts';
import { recoveryView } from '../../src/cli/texts/recovery-text.ts';
import { reinitializeView } from '../../src/cli/texts/reinitialize-text.ts';
import { resetView } from '../../src/cli/texts/reset-text.ts';
import { resolutionView } from '../../src/cli/texts/resolution-text.ts';
import { retryView } from '../../src/cli/texts/retry-text.ts';
import { runResultView } from '../../src/cli/texts/run-result-text.ts';
import { schemaVersionView } from '../../src/cli/texts/schema-version-text.ts';
import { graphView } from '../../src/cli/texts/spec/graph-text.ts';
import { planView } from '../../src/cli/texts/spec/plan-text.ts';
import { simulationView } from '../../src/cli/texts/spec/simulation-text.ts';
import { templatesView } from '../../src/cli/texts/spec/templates-text.ts';
import { validationView } from '../../src/cli/texts/spec/validation-text.ts';
import { workflowSimulationView } from '../../src/cli/texts/spec/workflow-simulation-text.ts';
import { writtenFileView } from '../../src/cli/texts/spec/written-file-text.ts';
import { statusView } from '../../src/cli/texts/status-text.ts';
import { submissionView } from '../../src/cli/texts/submission-text.ts';
import { updateView } from '../../src/cli/texts/update-text.ts';
import { usageView } from '../../src/cli/texts/usage-table.ts';
import type { TokenRecord } from '../../src/contract/records/token.ts';
import { GivenCourse } from '../../src/simulate/given-course.ts';
import { simulateJob } from '../../src/simulate/simulate-job.ts';
import { simulateWorkflow } from '../../src/simulate/simulate-workflow.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { decisionStats } from '../../src/views/decision-stats.ts';
import { graphOfModel } from '../../src/views/graph/job-graph.ts';
import { planOfModel } from '../../src/views/graph/plan.ts';
import { jobUsage } from '../../src/views/job-usage.ts';
import { routeTrace } from '../../src/views/route-trace.ts';
import { policiesOfModel } from '../../src/views/shared-policies.ts';
import { decision, group, resolved, utilization } from './decision-records.ts';
import { htcondorViewSamples } from './htcondor-view-samples.ts';
import { attempt, evaluation, event, job, NOON, runResult, status, worker } from './records.ts';
import { requestViewSamples } from './request-view-samples.ts';
import { explanation } from './sample-explanation.ts';
import { slurmViewSamples } from './slurm-view-samples.ts';
import { sample } from './view-sample.ts';

const loaded = loadSpec(
  `name: sample
steps:
  unit:
    exec: "true"
    on_fail: {run: [fix], retry: {max: 1}}
  fix:
    exec: "true"
  after:
    exec: "true"
    depends_on: [unit]
`,
  'sample.yaml',
);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
const { model } = loaded;

const token: TokenRecord = {
  id: 1,
  name: 'ada',
  role: 'admin',
  created_at_ms: NOON,
  expires_at_ms: null,
  revoked_at_ms: null,
};
const resourceChange = { from: 1, to: 2 };
const place = { line: 1, column: 1, path: 'jobs', message: 'no jobs', frame: '> jobs' };
const routed = event({
  type: 'goto',
  data: { route: { kind: 'goto', target: 'a', loop: 1, max_loops: 2 }, evaluations: [evaluation()] },
});

/** Something to print for every view, by the name of the view. */
export const VIEW_SAMPLES: Record<string, [View<never>, unknown]> = {
  ...(await requestViewSamples()),
  ...slurmViewSamples,
  ...htcondorViewSamples,
  drainedWorkerView: sample(drainedWorkerView, worker(41)),
  lostWorkerView: sample(lostWorkerView, worker(41)),
  createdTokenView: sample(createdTokenView, { ...token, secret: 'hf_secret' }),
  revokedTokenView: sample(revokedTokenView, token),
  pauseView: sample(pauseView, { status: status(), hint: { kind: 'resume', workflow: 3 } }),
  removalsView: sample(removalsView, {
    dry_run: true,
    removed: [
      {
        workflow_id: 3,
        name: 'w',
        jobs: 1,
        attempts: 2,
        events: 3,
        files: { count: 2, bytes: 2048 },
        finished_at_ms: NOON,
        status: 'failed',
      },
    ],
    kept: 4,
  }),
  exportedView: sample(exportedView, {
    workflow_id: 3,
    name: 'w',
    job_count: 1,
    file: 'w.gz',
    bytes: 2048,
    counts: { job: 1, attempt: 2, event: 3 },
  }),
  importedView: sample(importedView, { status: status(), file: 'w.gz' }),
  bundleView: sample(bundleView, {
    workflow_id: 3,
    file: 'help.tar.gz',
    bytes: 2048,
    failed: 3,
    explained: 2,
    configs: 4,
    jobs: 4,
    logs: 6,
    cut: 1,
    left_out: 2,
  }),
  reportFileView: sample(reportFileView, { workflow_id: 3, file: 'report.html', bytes: 2048 }),
  archivedView: sample(archivedView, [{ ...status().workflow, archived_at_ms: NOON }]),
  cancellationView: sample(cancellationView, {
    workflow_id: 3,
    dry_run: true,
    canceled: [1],
    stopping: [2],
    actions: [],
  }),
  explanationView: sample(explanationView, {
    explained: {
      ...explanation({
        hint: { kind: 'reset', workflow: 3, failed_only: true },
        attempts: [
          {
            attempt: attempt({
              evaluations: [evaluation()],
              route: { kind: 'goto', target: 'a', loop: 1, max_loops: 2 },
            }),
            walk: [{ rule: 'retry', applies: true, because: 'retry 1 of 3' }],
          },
        ],
      }),
      decisions: [event({ type: 'decision' })],
    },
    stderr: ['Traceback'],
    hints: [{ kind: 'reset', workflow: 3, failed_only: true }],
    allRules: false,
  }),
  failuresView: sample(failuresView, { groups: [group()], next: { kind: 'resolve', workflow: 3 } }),
  attemptsView: sample(attemptsView, [attempt()]),
  checksView: sample(checksView, [{ name: 'bash', result: 'fail', detail: 'not found', hint: 'install it' }]),
  decisionStatsView: sample(decisionStatsView, decisionStats([decision()])),
  eventsView: sample(eventsView, [event()]),
  jobsView: sample(jobsView, [job()]),
  settingsView: sample(settingsView, [{ key: 'grace', value: 10_000, origin: 'default', source: null }]),
  tokensView: sample(tokensView, [token]),
  workersView: sample(workersView, [worker(41)]),
  workflowsView: sample(workflowsView, { statuses: [status()], more: 2 }),
  listeningView: sample(listeningView, { url: 'http://127.0.0.1:7600' }),
  recoveryView: sample(recoveryView, {
    workflowId: 3,
    result: {
      dry_run: false,
      mode: 'new_run',
      run_id: 2,
      complete: true,
      retried: [
        { job_id: 4, name: 'a', why: 'oom', memory_bytes: resourceChange, runtime_ms: resourceChange },
      ],
      left: [{ job_id: 5, name: 'b', status: 'failed', why: 'unknown' }],
    },
    agent: {
      agent: 'claude',
      end: 'exit 0 after 1s',
      succeeded: true,
      interrupted: false,
      output: ['x'],
      decisions: [decision()],
      left: 1,
    },
    wouldAsk: 1,
    next: { kind: 'run', workflow: 3 },
  }),
  reinitializeView: sample(reinitializeView, {
    workflow_id: 3,
    dry_run: false,
    run_id: 2,
    jobs: [{ id: 1, name: 'a', status: 'failed', reason: { kind: 'input_changed', path: 'in.txt' } }],
    files_compared: 3,
    next: { kind: 'run', workflow: 3 },
  }),
  updateView: sample(updateView, {
    update: {
      workflow_id: 3,
      dry_run: false,
      mode: 'new_run',
      run_id: 2,
      is_active: false,
      counts: {
        add: 0,
        run_again: 1,
        change: 0,
        policy: 0,
        remove: 0,
        started: 0,
        canceled: 0,
        unchanged: 2,
      },
      workflow: [{ field: 'name', from: 'old', to: 'new', diff: null }],
      jobs: [
        {
          job_id: 1,
          name: 'a',
          status: 'completed',
          action: 'run_again',
          reason: { kind: 'command_changed' },
          changes: [{ field: 'command', from: 'x', to: 'y', diff: null }],
        },
      ],
      left_off: 0,
      notes: [],
    },
    next: { kind: 'run', workflow: 3 },
  }),
  resetView: sample(resetView, {
    workflow_id: 3,
    dry_run: false,
    run_id: 2,
    jobs: [{ id: 1, name: 'a', status: 'failed' }],
    next: { kind: 'run', workflow: 3 },
  }),
  resolutionView: sample(resolutionView, {
    workflow_id: 3,
    dry_run: false,
    jobs: [resolved()],
    next: { kind: 'run', workflow: 3 },
  }),
  retryView: sample(retryView, {
    workflow_id: 3,
    dry_run: false,
    mode: 'retry',
    run_id: 1,
    jobs: [{ id: 1, name: 'a', status: 'failed', attempt_id: 2 }],
    revived: [],
    next: { kind: 'run', workflow: 3 },
  }),
  runResultView: sample(
    runResultView,
    runResult({
      trace: routeTrace([routed]),
      failed: [{ job: job({ status: 'failed' }), attempt: attempt(), stderr: ['x'], jobs: 2, alike: ['b'] }],
      recovered: [job()],
      hints: [{ kind: 'run', workflow: 3 }],
    }),
  ),
  graphView: sample(graphView, { graph: graphOfModel(model), format: 'text', all: true }),
  planView: sample(planView, { plan: planOfModel(model), all: true }),
  simulationView: sample(simulationView, await simulateJob(model, { job: 'after', outcomes: '1' }, 60_000)),
  validationView: sample(validationView, {
    file: 'a.yaml',
    valid: true,
    name: 'sample',
    jobs: 3,
    problems: [place],
    warnings: [place],
    notes: [place],
    policies: policiesOfModel(model),
  }),
  workflowSimulationView: sample(
    workflowSimulationView,
    await simulateWorkflow(model, new GivenCourse(model, { outcomes: ['unit=1,0'], outputs: [] }, 60_000)),
  ),
  templatesView: sample(templatesView, TEMPLATES),
  writtenFileView: sample(writtenFileView, { file: 'workflow.yaml' }),
  statusView: sample(
    statusView,
    status({
      workers: [worker(41)],
      running: [{ job_id: 1, name: 'a', attempt_id: 1, started_at_ms: NOON }],
      waiting: [
        {
          job_id: 2,
          name: 'b',
          attempt_id: 1,
          retry_available_at_ms: NOON,
          outcome: 'exit 1',
          reason: 'retry 1 of 3',
          recovery: { started_at_ms: NOON, timeout_ms: 1000 },
        },
      ],
      failures: [
        { job_id: 2, name: 'b', attempt_id: 1, outcome: 'exit 1', reason: 'retry', finished_at_ms: NOON },
      ],
    }),
  ),
  schemaVersionView: sample(schemaVersionView, { schema_version: 2 }),
  submissionView: sample(submissionView, status().workflow),
  usageView: sample(usageView, [
    jobUsage(utilization({ peak_rss_bytes: 95, memory_requested_bytes: 100 }), [
      { at_ms: 1000, rss_bytes: 95, cpu_ms: 500 },
    ]),
  ]),
};

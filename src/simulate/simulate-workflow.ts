import { allPages } from '../contract/all-pages.ts';
import type { Engine } from '../contract/engine.ts';
import type { AttemptRecord, RouteTaken } from '../contract/records/records.ts';
import type { Evaluation } from '../core/job/evaluation.ts';
import { jobLabel } from '../core/job/job-label.ts';
import type { JobStatus } from '../core/job/job-status.ts';
import type { WorkflowModel } from '../core/model/workflow-model.ts';
import { routeTrace, type TraceEntry } from '../views/route-trace.ts';
import type { GivenCourse } from './given-course.ts';
import { playWorkflow, type SimulatedEnd } from './play-workflow.ts';

/** One execution and what was decided about it. Times count from the beginning. */
export interface SimulatedExecution {
  starts_at_ms: number;
  ends_at_ms: number;
  step: string;
  scope: string;
  attempt_id: number;
  /** Label of the step whose route called for it. */
  caller: string | null;
  /** false: its `if` was false or could not be evaluated, or its worker was lost before. */
  started: boolean;
  outcome: string;
  verdict: string | null;
  reason: string | null;
  route: RouteTaken | null;
  evaluations: Evaluation[];
}

/** What `simulate` played of a whole workflow; `--output json` prints it. */
export interface WorkflowSimulation {
  workflow: string;
  executions: SimulatedExecution[];
  trace: TraceEntry[];
  /** How each job ended. */
  jobs: { step: string; scope: string; status: JobStatus; reason: string | null; executions: number }[];
  end: SimulatedEnd;
  /** What `run` would exit with; null if it did not come to an end. */
  exit_code: number | null;
  ends_at_ms: number;
  /** Outcomes that were given and not used. */
  unused: string[];
}

/** Plays a whole workflow; executions end as the course says. */
export function simulateWorkflow(model: WorkflowModel, course: GivenCourse): Promise<WorkflowSimulation> {
  return playWorkflow(
    model,
    () => course,
    async ({ engine, workflowId, beginning, endedAt, end }) => {
      const attempts = await allPages((page) => engine.listAttempts(workflowId, page));
      const events = await allPages((page) => engine.listEvents(workflowId, page));
      return {
        workflow: model.name,
        executions: attempts
          // Executions that were under way when it was stopped have no end.
          .filter(({ finished_at_ms }) => finished_at_ms !== null)
          .map((attempt) => executionOf(attempt, beginning)),
        trace: routeTrace(events).map((entry) => since(entry, beginning)),
        jobs: await jobsOf(engine, workflowId, attempts),
        end,
        exit_code: end === 'endless' ? null : (await engine.status(workflowId)).exit_code,
        ends_at_ms: endedAt - beginning,
        unused: course.unused(),
      };
    },
  );
}

function executionOf(attempt: AttemptRecord, beginning: number): SimulatedExecution {
  const startedAt = attempt.started_at_ms ?? attempt.claimed_at_ms;
  return {
    starts_at_ms: startedAt - beginning,
    ends_at_ms: (attempt.finished_at_ms ?? startedAt) - beginning,
    step: attempt.job_name,
    scope: attempt.scope,
    attempt_id: attempt.attempt_id,
    caller: attempt.caller,
    started: attempt.started_at_ms !== null,
    outcome: attempt.verdict === 'disable' ? 'not run' : (attempt.error ?? 'exit 0'),
    verdict: attempt.verdict,
    reason: attempt.reason,
    route: attempt.route,
    evaluations: attempt.evaluations,
  };
}

function since(entry: TraceEntry, beginning: number): TraceEntry {
  const { at_ms, retry_available_at_ms: due } = entry;
  return { ...entry, at_ms: at_ms - beginning, retry_available_at_ms: due === null ? null : due - beginning };
}

async function jobsOf(
  engine: Engine,
  id: number,
  attempts: AttemptRecord[],
): Promise<WorkflowSimulation['jobs']> {
  const executions = new Map<string, number>();
  for (const { job_name, scope, started_at_ms } of attempts) {
    const label = jobLabel({ name: job_name, scope });
    if (started_at_ms !== null) executions.set(label, (executions.get(label) ?? 0) + 1);
  }
  const jobs = await allPages((page) => engine.listJobs(id, page));
  return jobs.map(({ name, scope, status, reason }) => ({
    step: name,
    scope,
    status,
    reason,
    executions: executions.get(jobLabel({ name, scope })) ?? 0,
  }));
}

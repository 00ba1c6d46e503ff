import { allPages } from '../../core/all-pages.ts';
import type { Engine } from '../../core/engine.ts';
import type { Evaluation } from '../../core/evaluation.ts';
import { jobLabel } from '../../core/job-label.ts';
import type { JobStatus } from '../../core/job-status.ts';
import type { AttemptRecord, RouteTaken } from '../../core/records.ts';
import type { WorkflowModel } from '../../core/workflow-model.ts';
import { openMemoryEngine } from '../../engine/open-engine.ts';
import { type SimulatedEnd, SimulatedWorker } from '../../worker/simulated-worker.ts';
import { routeTrace, type TraceEntry } from '../run/route-trace.ts';
import type { ToldCourse } from './told-course.ts';

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
  /** What became of each job. */
  jobs: { step: string; scope: string; status: JobStatus; reason: string | null; executions: number }[];
  end: SimulatedEnd;
  /** What `run` would exit with; null if it did not come to an end. */
  exit_code: number | null;
  ends_at_ms: number;
  /** Outcomes that were told and never came. */
  unused: string[];
}

/** Plays a workflow in an engine of its own; nothing is launched or kept. */
export async function simulateWorkflow(
  model: WorkflowModel,
  course: ToldCourse,
): Promise<WorkflowSimulation> {
  const beginning = Date.now();
  const clock = { now: beginning };
  const engine = openMemoryEngine(() => clock.now);
  try {
    const { id } = await engine.createWorkflow({ model, cwd: '/', output_dir: 'output', actor: 'simulate' });
    const end = await new SimulatedWorker(engine, id, clock, course).run();
    const attempts = await allPages((page) => engine.listAttempts(id, page));
    const events = await allPages((page) => engine.listEvents(id, page));
    return {
      workflow: model.name,
      executions: attempts
        // What was under way when it was stopped has no end.
        .filter(({ finished_at_ms }) => finished_at_ms !== null)
        .map((attempt) => executionOf(attempt, beginning)),
      trace: routeTrace(events).map((entry) => since(entry, beginning)),
      jobs: await jobsOf(engine, id, attempts),
      end,
      exit_code: end === 'endless' ? null : (await engine.status(id)).exit_code,
      ends_at_ms: clock.now - beginning,
      unused: course.unused(),
    };
  } finally {
    await engine.close();
  }
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

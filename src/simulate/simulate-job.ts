import { allPages } from '../contract/all-pages.ts';
import type { SimulatedStep, Simulation } from '../contract/records/overview.ts';
import type { AttemptRecord, JobDetails } from '../contract/records/records.ts';
import { describeOutcome } from '../core/job/outcome.ts';
import type { JobModel, WorkflowModel } from '../core/model/workflow-model.ts';
import type { RuleName } from '../core/policy/decision.ts';
import { describePolicy } from '../core/policy/describe-policy.ts';
import { jobPolicy } from '../core/policy/job-policy.ts';
import { didYouMean } from '../spec/suggest.ts';
import { invalidOption } from './invalid-option.ts';
import { jobAlone } from './job-alone.ts';
import { JobCourse } from './job-course.ts';
import { outcomeReader } from './outcome-reader.ts';
import { playWorkflow } from './play-workflow.ts';
import { readOutcome } from './simulated-outcome.ts';

/** Refuses what was given; `what` is the option or field. */
type Refuse = (what: 'job' | 'outcomes', problem: string) => never;

const refuseOption: Refuse = (what, problem) => invalidOption(`--${what}`, problem);

/** Plays one job alone, up to its end or the end of the outcomes. Recovery and post scripts take no time. */
export function simulateJob(
  model: WorkflowModel,
  { job: name, outcomes: written }: { job?: unknown; outcomes?: unknown },
  durationMs: number,
  refuse: Refuse = refuseOption,
): Promise<Simulation> {
  const job = jobNamed(model, name, refuse);
  const texts = typeof written === 'string' ? written.split(',') : written;
  if (!Array.isArray(texts)) return refuse('outcomes', 'is needed, such as 10,oom,lost,0');
  const reader = outcomeReader(model, job);
  const outcomes = texts.map((text) =>
    readOutcome(String(text), reader, (problem) => refuse('outcomes', problem)),
  );
  let course: JobCourse;
  return playWorkflow(
    jobAlone(model, job),
    (engine, clock) => {
      course = new JobCourse(engine, clock, { job: job.name, outcomes, durationMs });
      return course;
    },
    async ({ engine, workflowId, beginning }) => {
      const attempts = await allPages((page) => engine.listAttempts(workflowId, { ...page, job: job.name }));
      const first = course.executions[0]!.visit;
      const ended = attempts.filter(
        ({ finished_at_ms, visit }) => finished_at_ms !== null && visit === first,
      );
      const record = await engine.getJob(workflowId, job.name);
      const steps = ended.map((attempt, index) => stepOf(attempt, index, course, record, beginning));
      return {
        job: job.name,
        policy: describePolicy(jobPolicy(model, job), job.config.post !== null),
        steps,
        status: steps.at(-1)!.status,
        unused: outcomes.slice(steps.length).map(({ given }) => given),
      };
    },
  );
}

function stepOf(
  attempt: AttemptRecord,
  index: number,
  { executions, recoveryScripts }: JobCourse,
  job: JobDetails,
  beginning: number,
): SimulatedStep {
  const execution = executions[index]!;
  const next = executions[index + 1];
  const finishedAt = attempt.finished_at_ms!;
  const verdict = attempt.verdict as SimulatedStep['verdict'];
  const leads = verdict === 'goto' || verdict === 'call';
  const counts = next ?? countsAfter(attempt, execution, job);
  return {
    attempt_id: attempt.attempt_id,
    starts_at_ms: execution.at - beginning,
    ends_at_ms: finishedAt - beginning,
    memory_bytes: execution.memory_bytes,
    runtime_ms: execution.runtime_ms,
    outcome: attempt.started_at_ms === null ? 'lost before its start' : describeOutcome(attempt.outcome!),
    match_code: attempt.match_code,
    category: attempt.category,
    verdict,
    rule: attempt.rule as RuleName,
    reason: attempt.reason!,
    handler_outcome: attempt.handler_outcome,
    status: next !== undefined ? 'ready' : leads ? 'blocked' : job.status,
    failure_count: counts.failure_count,
    preemption_count: counts.preemption_count,
    next:
      next === undefined
        ? null
        : {
            starts_at_ms: next.at - beginning,
            wait_ms: next.at - finishedAt,
            recovery_script: recoveryScripts.get(execution.token) ?? null,
            memory_bytes: next.memory_bytes,
            runtime_ms: next.runtime_ms,
          },
  };
}

type Counts = Pick<SimulatedStep, 'failure_count' | 'preemption_count'>;

/** From the job, unless a goto or the end of a call has reset its counts. */
function countsAfter(attempt: AttemptRecord, before: Counts, { config, ...job }: JobDetails): Counts {
  const { state, verdict, started_at_ms } = attempt;
  if (verdict !== 'goto' && !config.on_call) return job;
  const failed = state === 'FAILED' && verdict !== 'complete' && verdict !== 'call';
  const lost = state === 'WORKER_FAILED' && started_at_ms !== null;
  return {
    failure_count: before.failure_count + (failed ? 1 : 0),
    preemption_count: before.preemption_count + (lost ? 1 : 0),
  };
}

/** The only job need not be named. */
function jobNamed({ jobs }: WorkflowModel, name: unknown, refuse: Refuse): JobModel {
  if (name === undefined && jobs.length === 1) return jobs[0]!;
  const names = jobs.map((job) => job.name);
  if (name === undefined) refuse('job', `is needed, because the spec has ${jobs.length} jobs`);
  return (
    jobs.find((job) => job.name === name) ??
    refuse('job', `the spec has no job ${name}${didYouMean(String(name), names)}`)
  );
}

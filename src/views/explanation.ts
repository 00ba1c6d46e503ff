import type { Hint } from '../contract/records/hint.ts';
import type {
  AttemptRecord,
  EventRecord,
  EventType,
  Explanation,
  WorkflowRecord,
} from '../contract/records/records.ts';
import { jobLabel } from '../core/job/job-label.ts';

/** An explanation with what people and agents decided about the job and changed of it, oldest first. */
export interface ExplainedJob extends Explanation {
  decisions: EventRecord[];
}

const DECISIONS: ReadonlySet<EventType> = new Set<EventType>(['decision', 'resources_changed']);

/** `events`: those of the job. */
export function explainedJob(explanation: Explanation, events: readonly EventRecord[]): ExplainedJob {
  return { ...explanation, decisions: events.filter(({ type }) => DECISIONS.has(type)) };
}

/** Decisions about one attempt; with null those about the job as a whole. */
export function decisionsAbout(
  { decisions }: ExplainedJob,
  attempt: { run_id: number; attempt_id: number } | null,
): EventRecord[] {
  return decisions.filter(({ run_id, attempt_id }) =>
    attempt === null ? attempt_id === null : run_id === attempt.run_id && attempt_id === attempt.attempt_id,
  );
}

/** The attempt whose stderr says why the job is where it is: the last one, if it ran and did not succeed. */
export function failedAttempt({ job, attempts }: Explanation): AttemptRecord | null {
  const last = attempts.at(-1)?.attempt;
  if (job.status === 'completed' || last === undefined) return null;
  return last.cause === null || last.started_at_ms === null ? null : last;
}

/** Whether a rule that was checked is worth a line: it decided, or it is what a post step said of the attempt. */
export function saysSomething(
  { post }: Pick<AttemptRecord, 'post'>,
  { rule, applies }: { rule: string; applies: boolean },
): boolean {
  return applies || (rule === 'post' && post !== null);
}

/** What helps next, in the order in which it helps. `spec`: how the spec of the workflow is named here. */
export function hintsAfterExplanation(
  { job, attempts, hint }: Explanation,
  { executor }: Pick<WorkflowRecord, 'executor'>,
  spec: readonly string[] | undefined,
): Hint[] {
  const hints: Hint[] = hint === null ? [] : [hint];
  if (job.status !== 'failed' && job.status !== 'terminated') return hints;
  const cause = attempts.at(-1)?.attempt.cause;
  const workflow = job.workflow_id;
  if (cause === 'oom' || cause === 'timeout') hints.push({ kind: 'recover', workflow });
  hints.push({ kind: 'retry', workflow, jobs: [jobLabel(job)] });
  // What DAGMan has run is not changed afterwards.
  if (executor !== 'htcondor') hints.push({ kind: 'continue', workflow, ...(spec && { spec: [...spec] }) });
  return hints;
}

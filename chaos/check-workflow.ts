import { readLedger } from './ledger.ts';
import type { Expected, Plan } from './plans.ts';

/** Records as the API and the commands show them, as far as the checks read them. */
interface Job {
  id: number;
  run_id: number;
  name: string;
  status: string;
  failure_count: number;
  preemption_count: number;
}
interface Attempt {
  job_id: number;
  job_name: string;
  run_id: number;
  visit: number;
  attempt_id: number;
  state: string;
  exit_code: number | null;
  finished_at_ms: number | null;
  reason: string | null;
  error: string | null;
}
interface Event {
  id: number;
  type: string;
  job_id: number | null;
  run_id: number;
  attempt_id: number | null;
  at_ms: number;
}

export interface WorkflowFacts {
  workflowId: number;
  jobs: Job[];
  attempts: Attempt[];
  events: Event[];
  exitCode: number | null;
  ledger: string;
}

export interface Checked {
  violations: string[];
  /** Why attempts that ended with 0 by the ledger do not count as successes, so that the job ran again. */
  repeated: string[];
}

/** Ends that come from outside the job, and are charged to nobody's failures. */
const NOT_CHARGED = ['WORKER_FAILED', 'STOPPED', 'KILLED'];

/** A launcher that dies with a program is noticed by then; a lease ends later. */
const AT_ONCE_MS = 1_500;

/** Compares what the engine shows of a settled workflow with what its jobs wrote down themselves. */
export function checkWorkflow(facts: WorkflowFacts, plan: Plan): Checked {
  const violations: string[] = [];
  const repeated: string[] = [];
  const names = new Set(facts.jobs.map(({ name }) => name));
  for (const name of Object.keys(plan.jobs)) {
    if (!names.has(name)) violations.push(`job ${name} is lost`);
  }
  for (const job of facts.jobs) {
    const expected = plan.jobs[job.name];
    if (expected === undefined) {
      violations.push(`job ${job.name} is not in the spec`);
      continue;
    }
    const attempts = facts.attempts.filter(({ job_id }) => job_id === job.id);
    const checked = checkJob(facts, job, expected, attempts);
    violations.push(...checked.violations.map((text) => `job ${job.name}: ${text}`));
    repeated.push(...checked.repeated);
  }
  violations.push(...checkEvents(facts.events, facts.attempts));
  if (facts.exitCode !== null && facts.exitCode !== plan.exitCode)
    violations.push(`exit code ${facts.exitCode}, not ${plan.exitCode}`);
  return {
    violations: violations.map((text) => `workflow ${facts.workflowId} (${plan.name}): ${text}`),
    repeated,
  };
}

function checkJob(
  { ledger, workflowId }: WorkflowFacts,
  job: Job,
  expected: Expected,
  attempts: Attempt[],
): Checked {
  const violations: string[] = [];
  const must = (holds: boolean, text: string) => {
    if (!holds) violations.push(text);
  };
  const isRight =
    expected.status === 'on call'
      ? ['completed', 'disabled'].includes(job.status)
      : job.status === expected.status;
  must(isRight, `is ${job.status}, not ${expected.status}`);

  for (const run of new Set(attempts.map(({ run_id }) => run_id))) {
    const own = attempts.filter(({ run_id }) => run_id === run);
    const numbers = own.map(({ attempt_id }) => attempt_id);
    must(
      numbers.every((number, index) => number === index + 1),
      `attempts of run ${run} are ${numbers.join()}`,
    );
    const successes = own.filter(({ state }) => state === 'SUCCEEDED');
    if (!expected.repeats) {
      must(successes.length <= 1, `succeeded ${successes.length} times in run ${run}`);
      must(successes.length === 0 || own.at(-1) === successes[0], `an attempt follows the success`);
    }
  }
  if (expected.status === 'completed')
    must(
      attempts.some(({ state }) => state === 'SUCCEEDED'),
      'completed without a success',
    );

  const lines = readLedger(ledger, workflowId, job.id);
  const starts = lines.filter(({ kind }) => kind === 'start').map(({ run, attempt }) => `${run}/${attempt}`);
  must(!lines.some(({ kind }) => kind === 'overlap'), 'two attempts were alive at the same time');
  must(new Set(starts).size === starts.length, `an attempt was started twice: ${starts.join(' ')}`);
  const known = new Set(attempts.map(({ run_id, attempt_id }) => `${run_id}/${attempt_id}`));
  for (const start of starts) must(known.has(start), `attempt ${start} ran and is not recorded`);
  const scripts = lines
    .filter(({ kind }) => kind === 'recovery')
    .map((line) => `${line.run}/${line.attempt}`);
  must(new Set(scripts).size === scripts.length, `a recovery script ran twice: ${scripts.join(' ')}`);

  const hasEnd = (run: number, attempt: number, code: number) =>
    lines.some(
      (line) => line.kind === 'end' && line.run === run && line.attempt === attempt && line.code === code,
    );
  for (const attempt of attempts) {
    const { run_id, attempt_id, state, exit_code, reason } = attempt;
    const label = `attempt ${run_id}/${attempt_id} (${state}, ${attempt.error ?? 'no error'}, ${reason ?? 'no reason'})`;
    must(attempt.finished_at_ms !== null, `${label} is still open`);
    if (state === 'SUCCEEDED') {
      const ran = reason?.includes('reported late') === true ? attempt_id - 1 : attempt_id;
      must(hasEnd(run_id, ran, 0), `${label} did not come to its end`);
    } else if (state === 'FAILED') {
      const isOwn = exit_code !== null && expected.codes.includes(exit_code);
      must(isOwn, `${label} is charged, and did not come from the job`);
      if (isOwn) must(hasEnd(run_id, attempt_id, exit_code), `${label} did not come to its end`);
    } else {
      must(NOT_CHARGED.includes(state), `${label} has an unexpected state`);
    }
  }
  // Each run begins with fresh budgets.
  const latest = attempts.filter(({ run_id }) => run_id === job.run_id);
  if (!expected.repeats) {
    const failures = latest.filter(({ state }) => state === 'FAILED').length;
    const losses = latest.filter(({ state }) => state === 'WORKER_FAILED').length;
    must(job.failure_count === failures, `failure_count ${job.failure_count} after ${failures} failures`);
    must(job.preemption_count <= losses, `preemption_count ${job.preemption_count} after ${losses} losses`);
  }
  const repeated = attempts.flatMap((attempt) => {
    const { run_id, attempt_id, state, finished_at_ms } = attempt;
    const isLost = state !== 'SUCCEEDED' && hasEnd(run_id, attempt_id, 0) && !isUsedLater(attempts, attempt);
    if (!isLost) return [];
    const { atMs } = lines.find(
      (line) => line.run === run_id && line.attempt === attempt_id && line.code === 0,
    )!;
    const later = atMs === null || finished_at_ms === null ? Number.NaN : finished_at_ms - atMs;
    return [`${state}, closed ${later < AT_ONCE_MS ? 'in the moment of its end' : 'seconds after its end'}`];
  });
  return { violations, repeated };
}

/** A success that was reported after its attempt was closed is the one of the next attempt. */
function isUsedLater(attempts: readonly Attempt[], { run_id, attempt_id }: Attempt): boolean {
  return attempts.some(
    (each) =>
      each.run_id === run_id &&
      each.attempt_id === attempt_id + 1 &&
      each.reason?.includes('reported late') === true,
  );
}

/** Events are in order, and each attempt was closed once. */
function checkEvents(events: Event[], attempts: Attempt[]): string[] {
  const violations: string[] = [];
  events.forEach(({ id }, index) => {
    const before = events[index - 1];
    if (before !== undefined && id <= before.id) violations.push(`event ${id} comes after ${before.id}`);
  });
  const closing = events
    .filter(({ type }) => ['completed', 'retry', 'requeue', 'failure', 'cancel'].includes(type))
    .map(({ job_id, run_id, attempt_id }) => `${job_id}/${run_id}/${attempt_id}`);
  const twice = closing.filter((key, index) => closing.indexOf(key) !== index);
  if (twice.length > 0) violations.push(`attempts were closed twice: ${twice.join(' ')}`);
  const known = new Set(attempts.map((each) => `${each.job_id}/${each.run_id}/${each.attempt_id}`));
  const unknown = closing.filter((key) => !known.has(key) && !key.endsWith('/null') && !key.endsWith('/0'));
  if (unknown.length > 0) violations.push(`events close attempts that do not exist: ${unknown.join(' ')}`);
  return violations;
}

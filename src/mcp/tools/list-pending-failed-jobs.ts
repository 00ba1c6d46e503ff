import { z } from 'zod';
import { type LogReader, logReader } from '../../contract/log-reader.ts';
import type { FailedJob, FailureGroup } from '../../contract/records/resolution.ts';
import { findPatterns } from '../../views/failure-patterns.ts';
import { agentRetriesLeft } from '../agent-retries.ts';
import { ANSWER_BYTES, jsonBytes, takeWithin } from '../answer-size.ts';
import {
  pastJobs,
  shownAttempt,
  shownDecisions,
  toPastDecisions,
  toShownAttempt,
} from '../failure-records.ts';
import { DECISION_GUIDANCE } from '../guidance.ts';
import { readLogEnd } from '../read-log.ts';
import type { Session } from '../session.ts';
import { defineTool, leftOutField, summaryField, workflowIdArgument } from '../tool.ts';
import { STDERR_LIMITS, type TextGuard, untrustedText } from '../untrusted-text.ts';

/** The rest of the room is for stderr. */
const FACTS_BYTES = ANSWER_BYTES / 2;
const LATEST_ATTEMPTS = 3;
/** Jobs that are returned with details. */
const MOST_JOBS = 200;
const MOST_ALIKE = 1000;

const earlierAttempt = shownAttempt.pick({ attempt_id: true, cause: true, match_code: true, ran_ms: true });

const pendingJob = z.object({
  job_id: z.int(),
  name: z.string(),
  run_id: z.int(),
  attempt_id: z.int().describe('The attempt that failed and waits for the decision.'),
  fingerprint: z.string().describe('Equal for failures that look alike.'),
  cause: z.string(),
  match_code: z.int().nullable().describe('Exit code; 128+N for signal N, 152 timeout, 137 out of memory.'),
  error: z.string(),
  hints: z
    .array(z.object({ pattern: z.string(), suggests: z.enum(['transient', 'permanent']) }))
    .describe('Known patterns found in stderr; guidance, not a rule.'),
  memory_bytes: z.number().nullable().describe('What the job may use; null: no limit.'),
  peak_rss_bytes: z.number().nullable(),
  runtime_ms: z.number().nullable().describe('How long the job may run; null: no limit.'),
  ran_ms: z.number().nullable(),
  attempts: z.array(earlierAttempt).describe('The newest attempts of this run, this one last.'),
  agent_retries_left: z
    .int()
    .describe('How often an agent may still decide retry in this run; at 0 only fail, or leave it.'),
  past_decisions: shownDecisions,
  stderr: untrustedText
    .nullable()
    .describe('Its last 50 lines; null: there are none, or there was no room (stderr_left_out).'),
  stderr_left_out: z.boolean().describe('true: get_job_logs shows it.'),
});

type PendingJob = z.infer<typeof pendingJob>;

export const listPendingFailedJobs = defineTool({
  name: 'list_pending_failed_jobs',
  title: 'List jobs that wait for a decision',
  description:
    'Lists the jobs of a workflow that failed and wait for a decision between retry and fail, each with the last 50 lines of its stderr, its attempts so far, hints, and what came of earlier decisions about failures that look alike. Call it first; then decide with classify_and_resolve_failures. Where it leaves jobs out, decide about these and those alike, then call it again.',
  kind: 'reads',
  input: z.strictObject({ workflow_id: workflowIdArgument }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    jobs: z.array(pendingJob),
    left_out: leftOutField,
    alike: z
      .array(z.object({ fingerprint: z.string(), job_ids: z.array(z.int()) }))
      .describe(
        'Jobs that are left out and failed like one that is shown; they can be decided about with it.',
      ),
    decisions_left: z.int().describe('Decisions that this server will still take.'),
    min_confidence: z.number().describe('Decisions with less confidence are left for a person.'),
    guidance: z.string(),
  }),
  async run(session, { workflow_id }) {
    const groups = await session.engine.listFailures(workflow_id, { status: ['pending_failed'] });
    // One of each kind of failure before a second of any.
    const failures = groups
      .flatMap((group) => group.jobs.map((job, index) => ({ group, job, index })))
      .sort((a, b) => a.index - b.index);
    const listed = failures.slice(0, MOST_JOBS);
    const guard = await session.guardFor(
      workflow_id,
      listed.flatMap(({ job, group }) => [job.job_id, ...pastJobs(group.past, workflow_id)]),
    );
    const left = await agentRetriesLeft(session.engine, workflow_id);
    const shown: PendingJob[] = [];
    for (const each of listed) {
      const job = await toPendingJob(session, workflow_id, each.group, each.job, guard);
      job.agent_retries_left = left(job.job_id, job.run_id);
      if (each.index > 0) job.past_decisions.latest = [];
      shown.push(job);
    }
    const { taken } = takeWithin(shown, FACTS_BYTES);
    const alike = alikeOf(failures.slice(taken.length), new Set(taken.map(({ fingerprint }) => fingerprint)));
    let room = ANSWER_BYTES - jsonBytes(taken) - jsonBytes(alike) - jsonBytes(DECISION_GUIDANCE) - 1024;
    const readStderr = (job: FailedJob) => logReader(session.engine, workflow_id, job, 'stderr');
    for (const [place, job] of taken.entries()) {
      room -= await attachStderr(job, readStderr(listed[place]!.job), guard, room);
    }
    return {
      summary:
        failures.length === 0
          ? `No job of workflow ${workflow_id} waits for a decision.`
          : `${failures.length} ${failures.length === 1 ? 'job waits' : 'jobs wait'} for a decision, with ${groups.length} different ${groups.length === 1 ? 'failure' : 'failures'}; ${taken.length} shown.`,
      workflow_id,
      jobs: taken,
      left_out: failures.length - taken.length,
      alike,
      decisions_left: await session.decisionsLeft(),
      min_confidence: session.limits.minConfidence,
      guidance: DECISION_GUIDANCE,
    };
  },
});

async function toPendingJob(
  { engine }: Session,
  workflowId: number,
  group: FailureGroup,
  job: FailedJob,
  guard: TextGuard,
): Promise<PendingJob> {
  const attempts = await engine.listAttempts(workflowId, {
    job: job.job_id,
    run_id: job.run_id,
    limit: 1000,
  });
  return {
    job_id: job.job_id,
    name: guard.line(job.name),
    run_id: job.run_id,
    attempt_id: job.attempt_id,
    fingerprint: group.fingerprint,
    cause: group.cause,
    match_code: group.match_code,
    error: guard.line(group.error),
    hints: [],
    memory_bytes: job.memory_bytes,
    peak_rss_bytes: job.peak_rss_bytes,
    runtime_ms: job.runtime_ms,
    ran_ms: job.ran_ms,
    attempts: attempts.items.slice(-LATEST_ATTEMPTS).map((attempt) => toShownAttempt(attempt, guard)),
    agent_retries_left: 0,
    past_decisions: toPastDecisions(group.past, workflowId, guard),
    stderr: null,
    stderr_left_out: false,
  };
}

/** Numbers only: what they look like is shown with another job. */
function alikeOf(
  rest: readonly { group: FailureGroup; job: FailedJob }[],
  shown: ReadonlySet<string>,
): { fingerprint: string; job_ids: number[] }[] {
  const found = new Map<string, number[]>();
  for (const { group, job } of rest.slice(0, MOST_ALIKE)) {
    if (!shown.has(group.fingerprint)) continue;
    const ids = found.get(group.fingerprint) ?? [];
    ids.push(job.job_id);
    found.set(group.fingerprint, ids);
  }
  return [...found].map(([fingerprint, job_ids]) => ({ fingerprint, job_ids }));
}

/** Returns the room it took. */
async function attachStderr(
  shown: PendingJob,
  read: LogReader,
  guard: TextGuard,
  room: number,
): Promise<number> {
  const log = await readLogEnd(read);
  if (log === undefined || log.sizeBytes === 0) return 0;
  const stderr = guard.mark(log.text, STDERR_LIMITS, log.isPart);
  const hints = findPatterns(stderr.untrusted_text);
  const size = jsonBytes(stderr) + jsonBytes(hints);
  if (size > room) {
    shown.stderr_left_out = true;
    return 0;
  }
  shown.stderr = stderr;
  shown.hints = hints;
  return size;
}

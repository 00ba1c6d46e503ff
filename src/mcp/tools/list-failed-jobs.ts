import { z } from 'zod';
import { logReader } from '../../contract/log-reader.ts';
import type { FailureGroup } from '../../contract/records/resolution.ts';
import { newestJob } from '../../views/failure-group.ts';
import { findPatterns } from '../../views/failure-patterns.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { pastJobs, shownDecisions, toPastDecisions } from '../failure-records.ts';
import { readLogEnd } from '../read-log.ts';
import type { Session } from '../session.ts';
import { defineTool, leftOutField, summaryField, workflowIdArgument } from '../tool.ts';
import { type TextGuard, type TextLimits, untrustedText } from '../untrusted-text.ts';

const MOST_GROUPS = 50;
const SHOWN_JOBS = 50;
const SAMPLE: TextLimits = { lines: 20, bytes: 3 * 1024, keep: 'end' };

const failureGroup = z.object({
  fingerprint: z.string().describe('Equal for failures that look alike.'),
  cause: z.string(),
  match_code: z.int().nullable(),
  error: z.string(),
  job_count: z.int(),
  jobs: z
    .array(z.object({ job_id: z.int(), name: z.string(), status: z.string(), attempt_id: z.int() }))
    .describe('At most 50.'),
  hints: z.array(z.object({ pattern: z.string(), suggests: z.enum(['transient', 'permanent']) })),
  past_decisions: shownDecisions,
  stderr: untrustedText.nullable().describe('The last 20 lines of the job that failed last.'),
});

export const listFailedJobsTool = defineTool({
  name: 'list_failed_jobs',
  title: 'List failed jobs by kind of failure',
  description:
    'Lists the jobs of a workflow that failed, were terminated or wait for a decision, grouped by what their failures look like (the fingerprint: cause, code, end of stderr), largest group first, with the end of one stderr per group. Use it to see how many different problems there are. Only jobs in status pending_failed can be decided about: list_pending_failed_jobs.',
  kind: 'reads',
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    fingerprint: z.string().max(64).optional().describe('Only failures that look like this.'),
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    groups: z.array(failureGroup),
    left_out: leftOutField,
  }),
  async run(session, { workflow_id, fingerprint }) {
    const groups = await session.engine.listFailures(
      workflow_id,
      fingerprint === undefined ? {} : { fingerprint },
    );
    const shown = groups.slice(0, MOST_GROUPS);
    const guard = await session.guardFor(
      workflow_id,
      shown.flatMap(({ jobs, past }) => [
        ...jobs.slice(0, SHOWN_JOBS).map(({ job_id }) => job_id),
        ...pastJobs(past, workflow_id),
      ]),
    );
    const records: z.infer<typeof failureGroup>[] = [];
    for (const group of shown) records.push(await toFailureGroup(session, group, workflow_id, guard));
    const { taken } = takeWithin(records, ANSWER_BYTES - 1024);
    const jobs = groups.reduce((sum, group) => sum + group.jobs.length, 0);
    return {
      summary: `${jobs} failed jobs of workflow ${workflow_id}, ${groups.length} different failures; ${taken.length} shown.`,
      workflow_id,
      groups: taken,
      left_out: groups.length - taken.length,
    };
  },
});

async function toFailureGroup(
  { engine }: Session,
  group: FailureGroup,
  workflowId: number,
  guard: TextGuard,
): Promise<z.infer<typeof failureGroup>> {
  const { fingerprint, cause, match_code, error, jobs, past } = group;
  const log = await readLogEnd(logReader(engine, workflowId, newestJob(group), 'stderr'));
  const stderr = log === undefined || log.sizeBytes === 0 ? null : guard.mark(log.text, SAMPLE, log.isPart);
  return {
    fingerprint,
    cause,
    match_code,
    error: guard.line(error),
    job_count: jobs.length,
    jobs: jobs.slice(0, SHOWN_JOBS).map(({ job_id, name, status, attempt_id }) => ({
      job_id,
      name: guard.line(name),
      status,
      attempt_id,
    })),
    hints: findPatterns(stderr?.untrusted_text ?? ''),
    past_decisions: toPastDecisions(past, workflowId, guard),
    stderr,
  };
}

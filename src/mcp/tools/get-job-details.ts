import { z } from 'zod';
import { jobLabel } from '../../core/job/job-label.ts';
import { shownAttempt, toShownAttempt } from '../failure-records.ts';
import { defineTool, jobArgument, summaryField, workflowIdArgument } from '../tool.ts';
import { type TextLimits, untrustedText } from '../untrusted-text.ts';

const COMMAND: TextLimits = { lines: 100, bytes: 8 * 1024, keep: 'start' };
const SHOWN = 20;

export const getJobDetails = defineTool({
  name: 'get_job_details',
  title: 'Get a job',
  description:
    'One job: its command, what it may use, what it depends on, and its latest attempts. Values of environment variables are not shown. Use it when the error alone does not show what the job does. explain_job says why it is in its status, get_job_logs what it wrote.',
  kind: 'reads',
  input: z.strictObject({ workflow_id: workflowIdArgument, job_id: jobArgument }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    job_id: z.int(),
    name: z.string(),
    status: z.string(),
    run_id: z.int(),
    attempt_id: z.int(),
    failure_count: z.int(),
    preemption_count: z.int(),
    reason: untrustedText.nullable(),
    command: untrustedText,
    env_names: z.array(z.string()).describe('Names of the variables that the spec sets; at most 20.'),
    failure_handler: z.string().nullable(),
    max_retries_failure: z.int(),
    cpus: z.number().nullable(),
    memory_bytes: z.number().nullable(),
    gpus: z.number(),
    runtime_ms: z.number().nullable(),
    depends_on: z
      .array(z.object({ job_id: z.int(), name: z.string(), status: z.string() }))
      .describe('At most 20.'),
    depends_on_count: z.int(),
    attempts: z.array(shownAttempt).describe('The newest of this run; at most 20.'),
  }),
  async run(session, { workflow_id, job_id: ref }) {
    const { engine } = session;
    const job = await engine.getJob(workflow_id, ref);
    const attempts = await engine.listAttempts(workflow_id, { job: job.id, run_id: job.run_id, limit: 1000 });
    const guard = await session.guardFor(workflow_id, [job.id]);
    return {
      summary: `Job ${job.id} of workflow ${workflow_id} is ${job.status}, attempt ${job.attempt_id}.`,
      workflow_id,
      job_id: job.id,
      name: guard.line(jobLabel(job)),
      status: job.status,
      run_id: job.run_id,
      attempt_id: job.attempt_id,
      failure_count: job.failure_count,
      preemption_count: job.preemption_count,
      reason: guard.reason(job.reason),
      command: guard.mark(job.config.command, COMMAND),
      env_names: Object.keys(job.config.env)
        .slice(0, SHOWN)
        .map((name) => guard.line(name)),
      failure_handler: job.config.failure_handler === null ? null : guard.line(job.config.failure_handler),
      max_retries_failure: job.max_retries_failure,
      cpus: job.requirement.cpus,
      memory_bytes: job.requirement.memory_bytes,
      gpus: job.requirement.gpus,
      runtime_ms: job.config.timeout_ms,
      depends_on: job.depends_on.slice(0, SHOWN).map((each) => ({ ...each, name: guard.line(each.name) })),
      depends_on_count: job.depends_on.length,
      attempts: attempts.items.slice(-SHOWN).map((attempt) => toShownAttempt(attempt, guard)),
    };
  },
});

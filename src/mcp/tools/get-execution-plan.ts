import { z } from 'zod';
import { firstPages } from '../../contract/all-pages.ts';
import type { JobDetails } from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { graphOfRecords } from '../../views/graph/job-graph.ts';
import { jobWaves } from '../../views/graph/job-waves.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { defineTool, leftOutField, summaryField, workflowIdArgument } from '../tool.ts';

/** Each is asked for by itself. */
const MOST_JOBS = 1000;
const SHOWN_DEPENDENCIES = 5;

const plannedJob = z.object({
  wave: z
    .int()
    .nullable()
    .describe(
      'Jobs of a wave can run at the same time, after the wave before; null: runs only when another job calls it.',
    ),
  job_id: z.int(),
  name: z.string(),
  status: z.string(),
  waits_for: z.array(z.int()).describe('Numbers of jobs it depends on; at most 5.'),
  waits_for_count: z.int(),
});

export const getExecutionPlan = defineTool({
  name: 'get_execution_plan',
  title: 'Get the order of execution',
  description:
    'In which order the jobs of a workflow run: waves of jobs, each with its status and what it waits for. Use it to see what depends on a failed job before you decide fail, which cancels everything after it.',
  kind: 'reads',
  input: z.strictObject({ workflow_id: workflowIdArgument }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    waves: z.int(),
    jobs: z.array(plannedJob),
    left_out: leftOutField,
  }),
  async run(session, { workflow_id }) {
    const { engine } = session;
    const { job_count } = await engine.getWorkflow(workflow_id);
    const records = await firstPages((page) => engine.listJobs(workflow_id, page), MOST_JOBS);
    const jobs: JobDetails[] = [];
    for (const { id } of records) jobs.push(await engine.getJob(workflow_id, id));
    const waves = wavesOf(jobs);
    const guard = await session.guardFor(
      workflow_id,
      jobs.map(({ id }) => id),
    );
    const shown = jobs
      .map((job) => ({
        wave: waves.get(job.id) ?? null,
        job_id: job.id,
        name: guard.line(jobLabel(job)),
        status: job.status,
        waits_for: job.depends_on.slice(0, SHOWN_DEPENDENCIES).map(({ job_id }) => job_id),
        waits_for_count: job.depends_on.length,
      }))
      .sort((a, b) => waveOrder(a) - waveOrder(b) || a.job_id - b.job_id);
    const { taken } = takeWithin(shown, ANSWER_BYTES - 1024);
    const count = Math.max(0, ...waves.values());
    return {
      summary: `${Math.max(job_count, jobs.length)} jobs in ${count} waves; ${taken.length} shown.`,
      workflow_id,
      waves: count,
      jobs: taken,
      left_out: Math.max(job_count, jobs.length) - taken.length,
    };
  },
});

/** Jobs on call come last. */
function waveOrder({ wave }: { wave: number | null }): number {
  return wave ?? Number.MAX_SAFE_INTEGER;
}

/** The wave of each job, from 1; jobs on call have none. */
function wavesOf(jobs: readonly JobDetails[]): Map<number, number> {
  const waves = jobWaves(graphOfRecords('', jobs));
  return new Map(waves.flatMap((wave, index) => wave.map((job) => [jobs[job]!.id, index + 1] as const)));
}

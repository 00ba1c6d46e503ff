import { z } from 'zod';
import { jobLabel } from '../../core/job-label.ts';
import type { JobDetails } from '../../core/records.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { firstPages } from '../pages.ts';
import { defineTool, leftOutField, summaryField, workflowIdArgument } from '../tool.ts';

/** Each is asked for by itself. */
const MOST_JOBS = 1000;
const SHOWN_DEPENDENCIES = 5;

const plannedJob = z.object({
  wave: z.int().describe('Jobs of a wave can run at the same time, after the wave before.'),
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
    const told = jobs
      .map((job) => ({
        wave: waves.get(job.id)!,
        job_id: job.id,
        name: guard.line(jobLabel(job)),
        status: job.status,
        waits_for: job.depends_on.slice(0, SHOWN_DEPENDENCIES).map(({ job_id }) => job_id),
        waits_for_count: job.depends_on.length,
      }))
      .sort((a, b) => a.wave - b.wave || a.job_id - b.job_id);
    const { taken } = takeWithin(told, ANSWER_BYTES - 1024);
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

/** The wave of each job, from 1: after the last of its dependencies. */
function wavesOf(jobs: readonly JobDetails[]): Map<number, number> {
  const waves = new Map<number, number>();
  const waiting = new Map<number, number>();
  const dependents = new Map<number, number[]>();
  const ids = new Set(jobs.map(({ id }) => id));
  for (const { id, depends_on } of jobs) {
    const own = depends_on.filter(({ job_id }) => ids.has(job_id));
    waiting.set(id, own.length);
    for (const { job_id } of own) {
      const known = dependents.get(job_id);
      if (known === undefined) dependents.set(job_id, [id]);
      else known.push(id);
    }
  }
  let wave = jobs.filter(({ id }) => waiting.get(id) === 0).map(({ id }) => id);
  for (let number = 1; wave.length > 0; number += 1) {
    const next: number[] = [];
    for (const id of wave) {
      waves.set(id, number);
      for (const dependent of dependents.get(id) ?? []) {
        const left = waiting.get(dependent)! - 1;
        waiting.set(dependent, left);
        if (left === 0) next.push(dependent);
      }
    }
    wave = next;
  }
  return waves;
}

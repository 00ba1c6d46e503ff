import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { JobRecord } from '../../contract/records/records.ts';
import { boundScheduler } from '../../core/allocation/allocation-offer.ts';
import { groupJobs, type JobGroup } from '../../core/allocation/propose-schedulers.ts';
import { namePattern } from '../../core/text/name-pattern.ts';

/** Up to this many jobs, each is asked what it needs; beyond, jobs of a sweep are taken to need what the first ones do. */
const MOST_ASKED = 500;
const ASKED_OF_SWEEP = 20;
const AT_ONCE = 16;

/** What is left of a workflow to run: jobs that are ready or wait for others, by what they need. */
export function remainingJobs(engine: Engine, workflowId: number): Promise<JobGroup[]> {
  return jobsOf(engine, workflowId, ['ready', 'blocked'], () => undefined);
}

/** Jobs that are ready, by what they need and by the scheduler that their labels bind them to. */
export function readyJobs(engine: Engine, workflowId: number): Promise<JobGroup[]> {
  return jobsOf(engine, workflowId, ['ready'], boundScheduler);
}

async function jobsOf(
  engine: Engine,
  workflowId: number,
  statuses: JobRecord['status'][],
  boundTo: (labels: readonly string[]) => string | undefined,
): Promise<JobGroup[]> {
  const jobs = await allPages((page) => engine.listJobs(workflowId, { ...page, status: statuses }));
  const asked = jobs.length <= MOST_ASKED ? jobs.map((job) => ({ job, stands: 1 })) : sampled(jobs);
  const groups: JobGroup[] = [];
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const some = asked.slice(from, from + AT_ONCE);
    const details = await Promise.all(some.map(({ job }) => engine.getJob(workflowId, job.id)));
    for (const [index, { requirement, name }] of details.entries()) {
      const bound = boundTo(requirement.labels);
      groups.push({ needs: requirement, jobs: some[index]!.stands, names: [name], bound });
    }
  }
  return groupJobs(groups);
}

/** The first jobs of each sweep, each standing for its share of it. */
function sampled(jobs: readonly JobRecord[]): { job: JobRecord; stands: number }[] {
  const sweeps = new Map<string, JobRecord[]>();
  for (const job of jobs) {
    const pattern = namePattern(job.name);
    const sweep = sweeps.get(pattern);
    if (sweep === undefined) sweeps.set(pattern, [job]);
    else sweep.push(job);
  }
  return [...sweeps.values()].flatMap((sweep) => {
    const some = sweep.slice(0, ASKED_OF_SWEEP);
    return some.map((job, index) => ({
      job,
      stands: Math.ceil((sweep.length - index) / some.length),
    }));
  });
}

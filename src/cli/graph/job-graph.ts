import type { Engine } from '../../core/engine.ts';
import type { JobStatus } from '../../core/job-status.ts';
import type { WorkflowModel } from '../../core/workflow-model.ts';
import { allPages } from '../all-pages.ts';

interface GraphJob {
  name: string;
  /** null in a graph of a spec. */
  status: JobStatus | null;
  /** Index into JobGraph.sets; null without dependencies. */
  set: number | null;
}

/** Jobs and what they wait for; equal sets of dependencies are one set, so that barriers stay small. */
export interface JobGraph {
  name: string;
  jobs: GraphJob[];
  /** Job indexes. */
  sets: number[][];
}

export function graphOfModel(model: WorkflowModel): JobGraph {
  return {
    name: model.name,
    jobs: model.jobs.map(({ name, dependencySet }) => ({ name, status: null, set: dependencySet })),
    sets: model.dependencySets,
  };
}

export async function graphOfWorkflow(engine: Engine, workflowId: number): Promise<JobGraph> {
  const { name } = await engine.getWorkflow(workflowId);
  const records = await allPages((page) => engine.listJobs(workflowId, page));
  const indexes = new Map(records.map((job, index) => [job.id, index]));
  const sets: number[][] = [];
  const setNumbers = new Map<string, number>();
  const jobs: GraphJob[] = [];
  for (const record of records) {
    const { depends_on } = await engine.getJob(workflowId, record.id);
    let set: number | null = null;
    if (depends_on.length > 0) {
      const members = depends_on.map(({ job_id }) => indexes.get(job_id)!).sort((a, b) => a - b);
      const key = members.join();
      set = setNumbers.get(key) ?? sets.push(members) - 1;
      setNumbers.set(key, set);
    }
    jobs.push({ name: record.name, status: record.status, set });
  }
  return { name, jobs, sets };
}

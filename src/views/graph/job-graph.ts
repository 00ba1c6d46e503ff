import type { JobDetails } from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
import type { JobConfig, WorkflowModel } from '../../core/model/workflow-model.ts';

/** A way that a job can take at its end, as far as it is written down; code may lead elsewhere. */
export interface GraphRoute {
  key: 'on_fail' | 'on_success';
  kind: 'run' | 'goto';
  /** Job index. */
  to: number;
}

interface GraphJob {
  /** Its label: in a forEach item with the scope. */
  name: string;
  /** null in a graph of a spec. */
  status: JobStatus | null;
  /** Index into JobGraph.sets; null without dependencies. */
  set: number | null;
  /** Runs when it is called, and is in no wave. */
  isOnCall?: boolean;
  routes?: GraphRoute[];
}

/** Jobs and what they wait for; equal sets of dependencies are one set, so that barriers stay small. */
export interface JobGraph {
  name: string;
  jobs: GraphJob[];
  /** Job indexes. */
  sets: number[][];
  /** For each set its groups of which one is enough; absent if there are none at all. */
  anyOf?: number[][][];
}

export function graphOfModel(model: WorkflowModel): JobGraph {
  const indexes = new Map(model.jobs.map(({ name }, index) => [name, index]));
  return {
    name: model.name,
    jobs: model.jobs.map((job) => ({
      name: jobLabel(job),
      status: null,
      set: job.dependencySet,
      isOnCall: job.config.on_call,
      routes: routesOf(job.config, (name) => indexes.get(name)),
    })),
    sets: model.dependencySets.map(({ members }) => members),
    anyOf: model.dependencySets.map(({ anyOf }) => anyOf),
  };
}

/** The graph of a stored workflow. Dependencies on jobs that are not among the records are left out. */
export function graphOfRecords(name: string, records: readonly JobDetails[]): JobGraph {
  const indexes = new Map(records.map((job, index) => [job.id, index]));
  const labels = new Map(records.map((job, index) => [jobLabel(job), index]));
  const sets: number[][] = [];
  const setNumbers = new Map<string, number>();
  const jobs = records.map((record): GraphJob => {
    const { depends_on, config } = record;
    const members = depends_on.flatMap(({ job_id }) => indexes.get(job_id) ?? []).sort((a, b) => a - b);
    let set: number | null = null;
    if (members.length > 0) {
      const key = members.join();
      set = setNumbers.get(key) ?? sets.push(members) - 1;
      setNumbers.set(key, set);
    }
    // A called step has a job in the scope of its caller only after the call.
    const find = (target: string) =>
      labels.get(jobLabel({ name: target, scope: record.scope })) ?? labels.get(target);
    return {
      name: jobLabel(record),
      status: record.status,
      set,
      isOnCall: config.on_call,
      routes: routesOf(config, find),
    };
  });
  return { name, jobs, sets };
}

function routesOf(
  { on_fail: onFail, on_success: onSuccess }: JobConfig,
  find: (name: string) => number | undefined,
) {
  const routes: GraphRoute[] = [];
  for (const [key, written] of [
    ['on_fail', onFail],
    ['on_success', onSuccess],
  ] as const) {
    if (written === null) continue;
    const add = (kind: GraphRoute['kind'], name: string) => {
      const to = find(name);
      if (to !== undefined) routes.push({ key, kind, to });
    };
    for (const name of written.run) add('run', name);
    if (written.goto !== null) add('goto', written.goto);
  }
  return routes;
}

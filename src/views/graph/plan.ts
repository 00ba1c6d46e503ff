import type { DependencyReason, DependencySet, WorkflowModel } from '../../core/model/workflow-model.ts';
import { notifySentences } from '../../core/notify/describe-target.ts';
import { schedulersOfModel } from '../scheduler-text.ts';
import { graphOfModel, type JobGraph } from './job-graph.ts';
import { jobWaves } from './job-waves.ts';

export interface PlannedJob {
  /** Its label: below a forEach step with the scope, as in `p@list[*]`. */
  name: string;
  /** `a|b` where one of them is enough. */
  waits_for: string[];
  /** What made the job wait. */
  because: { kind: DependencyReason['kind']; via: string }[];
}

/** In which order a workflow would run, and why. Jobs of a wave can run at the same time. */
export interface Plan {
  name: string;
  /** Without those on call. */
  jobs: number;
  waves: PlannedJob[][];
  /** Jobs that run only when a route calls them, and the jobs whose `run` does. */
  on_call: { name: string; called_by: string[] }[];
  /** What is asked of a cluster, in words; absent: nothing. */
  schedulers?: string[];
  /** Who is notified, in words; absent: the spec names nobody. */
  notify?: string[];
}

export function planOfModel(model: WorkflowModel): Plan {
  const graph = graphOfModel(model);
  const because: PlannedJob['because'][] = model.jobs.map(() => []);
  for (const { job, kind, via } of model.dependencyReasons) because[job]!.push({ kind, via });
  // One array of names for all jobs that share a set.
  const names = model.dependencySets.map((set) => namesOf(set, graph));
  const waves = jobWaves(graph).map((wave) =>
    wave.map((index): PlannedJob => {
      const { name, set } = graph.jobs[index]!;
      return { name, waits_for: set === null ? [] : names[set]!, because: because[index]! };
    }),
  );
  const onCall = callsOf(graph);
  const schedulers = schedulersOfModel(model);
  return {
    name: model.name,
    jobs: model.jobs.length - onCall.length,
    waves,
    on_call: onCall,
    ...(schedulers.length > 0 && { schedulers }),
    ...(model.notify !== undefined && { notify: notifySentences(model.notify) }),
  };
}

function namesOf({ members, anyOf }: DependencySet, { jobs }: JobGraph): string[] {
  const chosen = new Set(anyOf.flat());
  const name = (job: number) => jobs[job]!.name;
  return [
    ...members.filter((job) => !chosen.has(job)).map(name),
    ...anyOf.map((group) => group.map(name).join('|')),
  ];
}

function callsOf({ jobs }: JobGraph): Plan['on_call'] {
  const callers = new Map<number, Set<string>>();
  for (const [job, { isOnCall }] of jobs.entries()) if (isOnCall) callers.set(job, new Set());
  for (const { name, routes } of jobs) {
    for (const { kind, to } of routes ?? []) if (kind === 'run') callers.get(to)?.add(name);
  }
  return [...callers].map(([job, names]) => ({ name: jobs[job]!.name, called_by: [...names] }));
}

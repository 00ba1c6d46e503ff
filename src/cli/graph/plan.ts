import type { DependencyReason, WorkflowModel } from '../../core/workflow-model.ts';
import { graphOfModel } from './job-graph.ts';
import { jobWaves } from './job-waves.ts';

export interface PlannedJob {
  name: string;
  waits_for: string[];
  /** What made the job wait. */
  because: { kind: DependencyReason['kind']; via: string }[];
}

/** In which order a workflow would run, and why. Jobs of a wave can run at the same time. */
export interface Plan {
  name: string;
  jobs: number;
  waves: PlannedJob[][];
}

export function planOfModel(model: WorkflowModel): Plan {
  const because: PlannedJob['because'][] = model.jobs.map(() => []);
  for (const { job, kind, via } of model.dependencyReasons) because[job]!.push({ kind, via });
  // One array of names for all jobs that share a set.
  const names = model.dependencySets.map((members) => members.map((job) => model.jobs[job]!.name));
  const waves = jobWaves(graphOfModel(model)).map((wave) =>
    wave.map((index): PlannedJob => {
      const { name, dependencySet } = model.jobs[index]!;
      return {
        name,
        waits_for: dependencySet === null ? [] : names[dependencySet]!,
        because: because[index]!,
      };
    }),
  );
  return { name: model.name, jobs: model.jobs.length, waves };
}

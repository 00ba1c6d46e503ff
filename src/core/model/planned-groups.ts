import { jobLabel } from '../job/job-label.ts';
import { namePattern } from '../text/name-pattern.ts';
import type { WorkflowModel } from './workflow-model.ts';

/** Jobs of a model whose names differ in numbers only. */
export interface PlannedGroup {
  label: string;
  jobs: number;
  /** Name of its first job. */
  sample: string;
  on_call: boolean;
  /** From 1: after all that it waits for. */
  wave: number;
  after: string[];
}

/** The groups of a model by wave. Walks sets, not edges, so that a barrier costs as much as its members. */
export function plannedGroups(model: WorkflowModel): PlannedGroup[] {
  const groups: PlannedGroup[] = [];
  const numbers = new Map<string, number>();
  const groupOf = model.jobs.map((job) => {
    const label = namePattern(jobLabel(job));
    const key = `${job.config.on_call} ${label}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number =
        groups.push({ label, jobs: 0, sample: job.name, on_call: job.config.on_call, wave: 1, after: [] }) -
        1;
      numbers.set(key, number);
    }
    groups[number]!.jobs += 1;
    return number;
  });
  const members = model.dependencySets.map((set) => new Set(set.members.map((job) => groupOf[job]!)));
  const before = groups.map(() => new Set<number>());
  for (const [index, { dependencySet }] of model.jobs.entries()) {
    if (dependencySet === null) continue;
    for (const from of members[dependencySet]!) before[groupOf[index]!]!.add(from);
  }
  for (const [index, group] of groups.entries()) {
    group.after = [...before[index]!].filter((from) => from !== index).map((from) => groups[from]!.label);
  }
  setWaves(groups, before);
  return groups.toSorted((a, b) => Number(a.on_call) - Number(b.on_call) || a.wave - b.wave);
}

/** The longest way from a group that waits for nothing. Groups may wait for each other: their jobs do not. */
function setWaves(groups: readonly PlannedGroup[], before: readonly ReadonlySet<number>[]): void {
  const waves = new Array<number>(groups.length).fill(0);
  const open = new Set<number>();
  const path: { group: number; rest: number[] }[] = [];
  const enter = (group: number) => {
    open.add(group);
    path.push({ group, rest: [...before[group]!] });
  };
  for (const root of groups.keys()) {
    if (waves[root] !== 0) continue;
    enter(root);
    while (path.length > 0) {
      const { group, rest } = path.at(-1)!;
      const next = rest.pop();
      if (next === undefined) {
        const known = [...before[group]!].filter((each) => each !== group).map((each) => waves[each]!);
        waves[group] = 1 + Math.max(0, ...known);
        open.delete(group);
        path.pop();
      } else if (waves[next] === 0 && !open.has(next)) enter(next);
    }
  }
  for (const [index, group] of groups.entries()) group.wave = waves[index]!;
}

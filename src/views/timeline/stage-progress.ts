import type { GraphGroup, WorkflowGraph } from '../../contract/records/overview.ts';
import type { StatusCounts, WorkflowStatus } from '../../contract/records/records.ts';
import { endedCount } from '../workflow-state.ts';

/** How far a group of jobs is. */
export interface Stage {
  label: string;
  jobs: number;
  ended: number;
  counts: StatusCounts;
  /** Completed jobs that had failed or were lost before. */
  recovered: number;
  cpus_in_use: number;
  /** Some of its jobs have run, or are running. */
  has_begun: boolean;
  /** How long its open jobs take from when they can start; null: no success to measure by, or none is open. */
  remaining_ms: number | null;
}

/**
 * Groups of a workflow in the order in which they can start. The time of the open jobs is shared by as many as run now:
 * those of the stage, or, before it begins, those of the workflow.
 */
export function stageProgress({ groups, edges }: WorkflowGraph, status: WorkflowStatus): Stage[] {
  const depth = depths(groups.length, edges);
  const all = underWay(status.counts);
  return groups
    .map((group, index) => ({ group, depth: depth[index]!, index }))
    .filter(({ group }) => !group.on_call)
    .sort((a, b) => a.depth - b.depth || a.index - b.index)
    .map(({ group }) => stageOf(group, status.attempts.mean_success_ms, all));
}

function stageOf(
  { label, jobs, counts, recovered, cpus_in_use, mean_success_ms }: GraphGroup,
  overall: number | null,
  all: number,
): Stage {
  const ended = endedCount(counts);
  const open = jobs - ended;
  const here = underWay(counts);
  const mean = mean_success_ms ?? overall;
  const together = Math.max(1, Math.min(open, here > 0 ? here : all));
  return {
    label,
    jobs,
    ended,
    counts,
    recovered,
    cpus_in_use,
    has_begun: ended + here > 0,
    remaining_ms: mean === null || open === 0 ? null : Math.max(1_000, Math.round((mean * open) / together)),
  };
}

function underWay({ running, pending }: StatusCounts): number {
  return running + pending;
}

/** The longest way from a group that waits for nothing; circles are cut where they are met again. */
function depths(count: number, edges: WorkflowGraph['edges']): number[] {
  const depth = new Array<number>(count).fill(0);
  // A way is at most as long as there are groups.
  for (let round = 0; round < count; round += 1) {
    let hasChanged = false;
    for (const { from, to } of edges) {
      if (from !== to && depth[from]! + 1 > depth[to]! && depth[from]! + 1 < count) {
        depth[to] = depth[from]! + 1;
        hasChanged = true;
      }
    }
    if (!hasChanged) break;
  }
  return depth;
}

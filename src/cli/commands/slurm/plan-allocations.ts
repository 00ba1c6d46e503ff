import { SlurmCluster } from '../../../clusters/slurm/slurm-cluster.ts';
import { allocationShapes } from '../../../core/allocation/allocation-shapes.ts';
import type { SchedulerModel } from '../../../core/allocation/scheduler.ts';
import { schedulerMisfit } from '../../../core/allocation/scheduler-fit.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { WorkflowModel } from '../../../core/model/workflow-model.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { Command } from '../../command-context.ts';
import { readSpec } from '../../read-spec.ts';
import { type PlannedShape, plannedShapesView } from '../../texts/slurm/planned-shapes.ts';

/** Asks `sbatch --test-only` when the allocations of a spec would start. Nothing is submitted. */
export const planAllocationsCommand: Command = async (context, { args }) => {
  const path = args[0]!;
  const { model } = readSpec(path, context.origins);
  const { schedulers } = model;
  if (schedulers === undefined) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: path,
      problem: `has no slurm_schedulers; \`holdfast slurm generate ${shellWord(path)} --account ACCOUNT\` proposes them`,
    });
  }
  const cluster = new SlurmCluster();
  const shapes: PlannedShape[] = [];
  for (const scheduler of schedulers) {
    const orders = model.actions.flatMap(({ schedule }) =>
      schedule?.scheduler === scheduler.name ? [schedule.allocations] : [],
    );
    const wanted = orders.reduce((sum, count) => sum + count, 0) || 1;
    for (const shape of allocationShapes(scheduler, wanted, leastNodes(model, scheduler))) {
      const { words, ...shown } = shape;
      shapes.push({ scheduler: scheduler.name, ...shown, ...(await estimate(cluster, words)) });
    }
  }
  context.show(plannedShapesView, shapes);
  return 0;
};

async function estimate(
  cluster: SlurmCluster,
  words: string[],
): Promise<Pick<PlannedShape, 'starts_at_ms' | 'problem'>> {
  try {
    return { starts_at_ms: (await cluster.estimate(words)).startsAt, problem: null };
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'CLUSTER_REFUSED') throw error;
    return { starts_at_ms: null, problem: error.message };
  }
}

/** Nodes that the largest job needs which this scheduler can run. */
function leastNodes({ jobs, requirements }: WorkflowModel, scheduler: SchedulerModel): number {
  const needed = jobs
    .filter(({ config }) => config.scheduler === null || config.scheduler === scheduler.name)
    .map(({ requirement }) => requirements[requirement]!)
    .filter((requirement) => schedulerMisfit(requirement, scheduler) === null)
    .map(({ nodes }) => nodes);
  return needed.reduce((most, nodes) => Math.max(most, nodes), 1);
}

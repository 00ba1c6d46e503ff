import { allPages } from '../../../contract/all-pages.ts';
import type { Engine } from '../../../contract/engine.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { Command } from '../../command-context.ts';
import { userName } from '../../options/user-name.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import {
  allocationsView,
  allocationView,
  type ListedAllocation,
  resumedSchedulerView,
} from '../../texts/slurm/allocations.ts';

/** Those that have not ended, unless --all. */
export const allocationsCommand: Command = async (context, { args, options }) => {
  const engine = await context.openEngine();
  const workflowId = args[0] === undefined ? null : await workflowArgument(engine, context, args[0]);
  const listed = await allPages((page) =>
    engine.listAllocations({
      ...page,
      ...(workflowId !== null && { workflow_id: workflowId }),
      ...(options.all !== true && { state: ['planned', 'submitting', 'queued', 'running'] }),
    }),
  );
  const workers = listed.length === 0 ? [] : await allPages((page) => engine.listWorkers(page));
  const allocations = listed.map((allocation): ListedAllocation => {
    const own = workers.filter(
      ({ allocation_id, state }) => allocation_id === allocation.id && state !== 'retired',
    );
    return {
      ...allocation,
      worker_ids: own.map(({ id }) => id),
      running: own.reduce((sum, { running }) => sum + running, 0),
    };
  });
  context.show(allocationsView, {
    allocations,
    held: workflowId === null ? [] : await heldSchedulers(engine, workflowId),
  });
  return 0;
};

async function heldSchedulers(engine: Engine, workflowId: number) {
  const schedulers = await allPages((page) => engine.listSchedulers(workflowId, page));
  return schedulers.filter(({ paused, next_try_at_ms }) => paused !== null || next_try_at_ms !== null);
}

export const cancelAllocationCommand: Command = async (context, { args, options }) => {
  const id = args[0];
  if (id === undefined || !/^\d{1,15}$/.test(id)) {
    throw invalid('allocation', 'name it by its ID, as `holdfast slurm allocations` shows it');
  }
  const engine = await context.openEngine();
  const { reason } = options;
  const canceled = await engine.cancelAllocation(Number(id), {
    actor: userName(),
    ...(typeof reason === 'string' && { reason }),
  });
  context.show(allocationView, canceled);
  return 0;
};

export const resumeSchedulerCommand: Command = async (context, { args }) => {
  const [workflow, scheduler] = args;
  if (workflow === undefined || scheduler === undefined) {
    throw invalid('scheduler', 'name the workflow and the scheduler: `holdfast slurm resume 3 gpu`');
  }
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, workflow);
  context.show(
    resumedSchedulerView,
    await engine.resumeScheduler(workflowId, scheduler, { actor: userName() }),
  );
  return 0;
};

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}

import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { SchedulerRecord } from '../../contract/records/allocation.ts';
import { type JobGroup, proposeSchedulers } from '../../core/allocation/propose-schedulers.ts';
import type { SchedulerModel } from '../../core/allocation/scheduler.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext } from '../command-context.ts';
import { partitionOffers } from './partition-offers.ts';
import { proposedModel } from './proposed-model.ts';

export interface WorkflowProposal {
  model: SchedulerModel;
  allocations: number;
  because: string[];
}

/** Schedulers for groups of jobs of a stored workflow. Account and workers are those of its own schedulers, unless given. */
export async function proposeForWorkflow(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  groups: readonly JobGroup[],
  given: { account: string | null; partition: string | null },
): Promise<WorkflowProposal[]> {
  const known = await allPages((page) => engine.listSchedulers(workflowId, page));
  const account = given.account ?? accountOf(known);
  const { partitions } = await partitionOffers(context);
  const { proposals, problems } = proposeSchedulers(groups, {
    partitions,
    partition: given.partition,
    taken: known.map(({ name }) => name),
  });
  if (problems.length > 0) {
    throw new HoldfastError('INVALID_ARGUMENT', { argument: 'slurm', problem: problems.join('\n') });
  }
  const worker = known[0]?.model.worker;
  return proposals.map((proposal) => ({
    model: proposedModel(proposal, account, worker),
    allocations: proposal.allocations,
    because: proposal.because,
  }));
}

function accountOf(schedulers: readonly SchedulerRecord[]): string | null {
  return schedulers.flatMap(({ model }) => model.options.account ?? [])[0] ?? null;
}

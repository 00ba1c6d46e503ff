import type { OrderPolicy, SchedulerFacts } from '../../core/allocation/decide-allocations.ts';
import type { ScheduleOrder } from '../../core/allocation/scheduler.ts';
import { countOrdered } from '../../store/rows/allocations/allocation-rows.ts';
import { listScheduleActions, type ScheduleActionRow } from '../../store/rows/errands/action-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { isDue } from '../errands/due-actions.ts';
import { readRun } from '../runs/read-run.ts';

/** No worker looks for these actions. */
const NOBODY = { id: 0, kind: 'run', isLeaving: false } as const;

/**
 * Because of what allocations are ordered: actions whose moment has come; without any such action, ready jobs alone. An
 * action orders its number once in a run. It orders more where it is automatic or persistent, and in place of those that
 * were canceled because no job needed them.
 */
export function* loadPolicies(
  workflow: WorkflowRow,
  schedulers: readonly SchedulerFacts[],
): Script<OrderPolicy[]> {
  const actions = yield* listScheduleActions(workflow.id);
  if (actions.length === 0) return schedulers.map(policyOfScheduler);
  const { complete, verdict } = yield* readRun(workflow.id);
  const run = { isComplete: complete, isFailed: complete && verdict.exit_code !== 0 };
  const ordered = new Map(
    (yield* countOrdered(workflow.id, workflow.run_id)).map((row) => [row.action_id, row]),
  );
  return actions.flatMap((action) => {
    const before = ordered.get(action.id) ?? { ordered: 0, unneeded: 0 };
    return policyOfAction(action, isDue(action, run, NOBODY), before);
  });
}

function policyOfScheduler({ model }: SchedulerFacts): OrderPolicy {
  return {
    actionId: null,
    scheduler: model.name,
    // The next of a chain waits while the one before runs.
    atMost: model.serialize ? 2 : 1,
    due: 0,
    further: Number.POSITIVE_INFINITY,
    watchesOwn: false,
    oneWorkerPerNode: false,
    maxParallel: null,
  };
}

function policyOfAction(
  action: ScheduleActionRow,
  due: boolean,
  before: { ordered: number; unneeded: number },
): OrderPolicy[] {
  const order = JSON.parse(action.schedule) as ScheduleOrder;
  const hasBegun = before.ordered > 0;
  const watchesReady = order.automatic && action.trigger_type === 'on_jobs_ready';
  if (!due && !hasBegun && !watchesReady) return [];
  const isOpenEnded = order.automatic || (hasBegun && action.persistent === 1);
  return [
    {
      actionId: action.id,
      scheduler: order.scheduler,
      atMost: order.allocations,
      due: order.automatic || hasBegun ? 0 : order.allocations,
      further: isOpenEnded
        ? Number.POSITIVE_INFINITY
        : hasBegun
          ? Math.max(0, order.allocations - (before.ordered - before.unneeded))
          : 0,
      watchesOwn: action.watches > 0,
      oneWorkerPerNode: order.one_worker_per_node,
      maxParallel: order.max_parallel,
    },
  ];
}

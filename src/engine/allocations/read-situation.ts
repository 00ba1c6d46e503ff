import type {
  AliveAllocation,
  AllocationSituation,
  Demand,
  SchedulerFacts,
} from '../../core/allocation/decide-allocations.ts';
import { isRunEnd } from '../../core/run/run-transitions.ts';
import { type AllocationRow, listAlive } from '../../store/rows/allocations/allocation-rows.ts';
import { countDemand, countWatchedDemand } from '../../store/rows/allocations/demand-rows.ts';
import {
  decodeScheduler,
  decodeSeen,
  listSchedulers,
  type SchedulerRow,
} from '../../store/rows/allocations/scheduler-rows.ts';
import { findRun } from '../../store/rows/workflows/run-rows.ts';
import {
  listRequirements,
  type StoredRequirement,
  type WorkflowRow,
} from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { byId } from '../claim/claim-facts.ts';
import { measureLimits } from '../claim/claim-jobs.ts';
import { placeWorkers, takersOf } from '../claim/placed-workers.ts';
import { loadPlaces } from '../claim/places.ts';
import { loadPolicies } from './order-policies.ts';

/** Everything by which the allocations of a workflow are decided. */
export function* readSituation(workflow: WorkflowRow, now: number): Script<AllocationSituation> {
  const requirements = byId(yield* listRequirements(workflow.id));
  const schedulers = (yield* listSchedulers(workflow.id)).map(schedulerFacts);
  const placed = yield* placeWorkers(yield* takersOf(workflow, now), now);
  return {
    now,
    work: yield* stateOfWork(workflow),
    places: yield* loadPlaces(workflow, now),
    limits: yield* measureLimits(workflow, requirements),
    demand: yield* readDemand(workflow.id, requirements, now),
    workers: placed.map(({ free }) => free),
    schedulers,
    allocations: (yield* listAlive(workflow.id)).map(aliveAllocation),
    policies: yield* loadPolicies(workflow, schedulers),
  };
}

export function schedulerFacts(row: SchedulerRow): SchedulerFacts {
  return {
    model: decodeScheduler(row),
    seen: decodeSeen(row),
    isPaused: row.paused_at !== null,
    nextTryAt: row.next_try_at,
  };
}

function* stateOfWork(workflow: WorkflowRow): Script<AllocationSituation['work']> {
  const { state } = yield* findRun(workflow.id, workflow.run_id);
  if (isRunEnd(state)) {
    const mayStay = state === 'completed' || state === 'failed';
    return { state: 'over', reason: `the run is over: ${state}`, mayStay };
  }
  if (workflow.stopping === 1) {
    return { state: 'over', reason: `the workflow was stopped by ${workflow.paused_by}`, mayStay: false };
  }
  return { state: workflow.paused_at === null ? 'open' : 'held' };
}

function* readDemand(
  workflowId: number,
  requirements: ReadonlyMap<number, StoredRequirement>,
  now: number,
): Script<Demand[]> {
  const watched = yield* countWatchedDemand(workflowId, now);
  return (yield* countDemand(workflowId, now)).map(({ requirement_id, scheduler, ready, later, live }) => {
    const own = watched.filter(
      (each) => each.requirement_id === requirement_id && each.scheduler === scheduler,
    );
    return {
      requirement: requirements.get(requirement_id)!,
      scheduler,
      ready,
      later,
      live,
      watched: new Map(own.map((each) => [each.action_id, each.ready])),
    };
  });
}

export function aliveAllocation(row: AllocationRow): AliveAllocation {
  return {
    id: row.id,
    scheduler: row.scheduler,
    actionId: row.action_id,
    state: row.state as AliveAllocation['state'],
    startedAt: row.started_at,
    workersCame: row.workers_came,
    isCanceling: row.cancel_at !== null,
    isPersonal: row.actor !== null,
    oneWorkerPerNode: row.one_worker_per_node === 1,
    maxParallel: row.max_parallel,
  };
}

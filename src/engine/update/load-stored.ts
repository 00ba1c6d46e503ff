import type { ScheduleOrder } from '../../core/allocation/scheduler.ts';
import type { StoredWorkflow } from '../../core/rerun/edited-workflow.ts';
import { isRunEnd } from '../../core/run/run-transitions.ts';
import { decodeScheduler, listSchedulers } from '../../store/rows/allocations/scheduler-rows.ts';
import { listActions, listWatched } from '../../store/rows/errands/action-definition-rows.ts';
import { listDefinitions } from '../../store/rows/jobs/definition-rows.ts';
import { listMembersIn } from '../../store/rows/jobs/dependency-rows.ts';
import { listHandlers } from '../../store/rows/workflows/handler-rows.ts';
import { getMetadata, listAllUserData } from '../../store/rows/workflows/head-rows.ts';
import { findRun } from '../../store/rows/workflows/run-rows.ts';
import { listRequirements, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

/** Everything of a workflow that an update compares with the edited spec. */
export function* loadStored(workflow: WorkflowRow, isActive: boolean): Script<StoredWorkflow> {
  const { id } = workflow;
  const { state } = yield* findRun(id, workflow.run_id);
  return {
    head: {
      name: workflow.name,
      description: workflow.description,
      user: workflow.owner,
      project: workflow.project,
      metadata: yield* getMetadata(id),
      variables: workflow.variables,
      routing: workflow.routing,
      limits: workflow.limits,
      notify: workflow.notify,
      max_parallel: workflow.max_parallel,
      use_pending_failed: workflow.use_pending_failed === 1,
      access_groups: workflow.access_groups,
    },
    is_open: !isRunEnd(state),
    is_active: isActive,
    jobs: yield* listDefinitions(id),
    sets: yield* loadSets(id),
    requirements: new Map((yield* listRequirements(id)).map(({ id: key, ...value }) => [key, value])),
    handlers: (yield* listHandlers(id)).map(({ id: key, name, rules }) => ({ id: key, name, rules })),
    userData: (yield* listAllUserData(id)).map(({ is_ephemeral, ...row }) => ({
      ...row,
      is_ephemeral: is_ephemeral === 1,
    })),
    schedulers: (yield* listSchedulers(id)).map((row) => ({ id: row.id, model: decodeScheduler(row) })),
    actions: yield* loadActions(id),
  };
}

function* loadSets(workflowId: number): Script<Map<number, { job_id: number; kind: number }[]>> {
  const sets = new Map<number, { job_id: number; kind: number }[]>();
  for (const { set_id, job_id, kind } of yield* listMembersIn(workflowId)) {
    const members = sets.get(set_id);
    if (members === undefined) sets.set(set_id, [{ job_id, kind }]);
    else members.push({ job_id, kind });
  }
  return sets;
}

function* loadActions(workflowId: number): Script<StoredWorkflow['actions']> {
  const watched = yield* listWatched(workflowId);
  return (yield* listActions(workflowId)).map(({ id, trigger_type, persistent, commands, schedule }) => ({
    id,
    trigger: trigger_type,
    persistent: persistent === 1,
    commands: JSON.parse(commands) as string[],
    ...(schedule !== null && { schedule: JSON.parse(schedule) as ScheduleOrder }),
    jobs: watched.filter(({ action_id }) => action_id === id).map(({ job_id }) => job_id),
  }));
}

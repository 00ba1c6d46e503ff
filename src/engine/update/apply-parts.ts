import { HoldfastError } from '../../core/errors.ts';
import type { ActionModel } from '../../core/model/action.ts';
import { changedValues } from '../../core/rerun/changed-values.ts';
import { canonical } from '../../core/rerun/field-kinds.ts';
import {
  deleteUnusedScheduler,
  pauseScheduler,
  putScheduler,
} from '../../store/rows/allocations/scheduler-rows.ts';
import { removeAction } from '../../store/rows/errands/action-definition-rows.ts';
import { insertAction, insertWatched } from '../../store/rows/errands/action-rows.ts';
import { deleteHandler, insertHandler } from '../../store/rows/workflows/handler-rows.ts';
import {
  deleteUserData,
  isHandlerUsed,
  writeHandlerRules,
  writeHead,
  writeUserData,
} from '../../store/rows/workflows/head-rows.ts';
import { insertUserData } from '../../store/rows/workflows/user-data-rows.ts';
import type { Script } from '../../store/script.ts';
import type { WorkflowChange } from './workflow-change.ts';

/** The parts of a workflow that jobs do not refer to by number. */
export function* applyParts(update: WorkflowChange, now: number): Script<void> {
  const { workflow, edited, plan } = update;
  const changed = new Set(plan.workflow);
  yield* writeHead(workflow.id, edited.head);
  if (changed.has('user_data')) yield* applyUserData(update);
  if (changed.has('schedulers')) yield* applySchedulers(update, now);
}

function* applyUserData({ workflow, stored, edited, plan }: WorkflowChange): Script<void> {
  const known = new Map(stored.userData.map((value) => [value.name, value]));
  const { userData: changed } = changedValues(stored, edited);
  for (const value of edited.userData) {
    const row = known.get(value.name);
    if (row === undefined) yield* insertUserData(workflow.id, value);
    else if (row.initial !== value.data || row.is_ephemeral !== value.is_ephemeral) {
      yield* writeUserData(workflow.id, value, changed.has(value.name));
    }
  }
  // A job that keeps the old definition may still read or set it.
  if (plan.jobs.some(({ action }) => action === 'started' || action === 'canceled')) return;
  const left = new Set(edited.userData.map(({ name }) => name));
  for (const { name } of stored.userData) if (!left.has(name)) yield* deleteUserData(workflow.id, name);
}

/** One that allocations were ordered from stays, and orders no more. */
function* applySchedulers({ workflow, stored, edited }: WorkflowChange, now: number): Script<void> {
  if (workflow.executor === 'slurm' && edited.schedulers.length === 0) {
    throw new HoldfastError('UPDATE_REFUSED', {
      problem: 'it runs on Slurm, and the edited spec has no `slurm_schedulers`',
      way_out: 'keep them, or run the spec as a new workflow',
    });
  }
  const known = new Map(
    stored.schedulers.map(({ id, model }) => [model.name, { id, text: canonical(model) }]),
  );
  for (const model of edited.schedulers) {
    if (known.get(model.name)?.text !== canonical(model)) yield* putScheduler(workflow.id, model);
    known.delete(model.name);
  }
  for (const { id } of known.values()) {
    if (!(yield* deleteUnusedScheduler(id))) yield* pauseScheduler(id, 'it is not in the spec any more', now);
  }
}

/** Handlers by name. Those that the edited spec does not have stay until no job has them. */
export function* applyHandlers({ workflow, stored, edited }: WorkflowChange): Script<Map<string, number>> {
  const known = new Map(stored.handlers.map((handler) => [handler.name, handler]));
  const ids = new Map<string, number>();
  for (const { name, rules } of edited.handlers) {
    const handler = known.get(name);
    if (handler === undefined) ids.set(name, yield* insertHandler(workflow.id, { name, rules }));
    else {
      ids.set(name, handler.id);
      if (handler.rules !== rules) yield* writeHandlerRules(handler.id, rules);
    }
  }
  return ids;
}

export function* removeHandlers({ stored, edited }: WorkflowChange): Script<void> {
  const left = new Set(edited.handlers.map(({ name }) => name));
  for (const { id, name } of stored.handlers) {
    if (!left.has(name) && !(yield* isHandlerUsed(id))) yield* deleteHandler(id);
  }
}

/** Equal actions stay, with what was done because of them; the others are removed and added. */
export function* applyActions(
  { workflow, stored, edited, plan }: WorkflowChange,
  jobIds: ReadonlyMap<number, number>,
): Script<void> {
  if (!plan.workflow.includes('actions')) return;
  const left = new Map<string, number[]>();
  for (const { id, ...action } of stored.actions) {
    const text = textOf(action, (job) => job);
    left.set(text, [...(left.get(text) ?? []), id]);
  }
  for (const action of edited.actions) {
    const same = left.get(textOf(action, (place) => jobIds.get(place)!));
    if (same !== undefined && same.length > 0) {
      same.shift();
      continue;
    }
    const { jobs, ...facts } = action;
    const id = yield* insertAction(workflow.id, facts);
    yield* insertWatched(jobs.map((place) => ({ action_id: id, job_id: jobIds.get(place)! })));
  }
  for (const id of [...left.values()].flat()) yield* removeAction(id);
}

function textOf({ jobs, ...action }: ActionModel, idOf: (job: number) => number): string {
  return canonical({ ...action, jobs: jobs.map(idOf).sort((a, b) => a - b) });
}

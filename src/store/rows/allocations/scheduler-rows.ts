import type { Reader } from '../../../contract/by.ts';
import type { SchedulerModel } from '../../../core/allocation/scheduler.ts';
import { addSeen, type SeenCapacity } from '../../../core/allocation/seen-capacity.ts';
import { all, change, changeOne, first, insert, run, type Script } from '../../script.ts';
import { readable } from '../access/readable.ts';

export interface SchedulerRow {
  id: number;
  workflow_id: number;
  name: string;
  model: string;
  refusals: number;
  refusal: string | null;
  next_try_at: number | null;
  misses: number;
  paused_at: number | null;
  pause_reason: string | null;
  seen: string | null;
  /** Allocations that have not ended, and those of them that have begun. */
  alive: number;
  running: number;
}

const COLUMNS = `scheduler.id, scheduler.workflow_id, scheduler.name, scheduler.model, scheduler.refusals,
  scheduler.refusal, scheduler.next_try_at, scheduler.misses, scheduler.paused_at, scheduler.pause_reason,
  scheduler.seen,
  (select count(*) from allocation where allocation.workflow_id = scheduler.workflow_id and allocation.state <> 'ended'
    and allocation.scheduler_id = scheduler.id) as alive,
  (select count(*) from allocation where allocation.workflow_id = scheduler.workflow_id and allocation.state <> 'ended'
    and allocation.scheduler_id = scheduler.id and allocation.state = 'running') as running`;

export function decodeScheduler({ model }: Pick<SchedulerRow, 'model'>): SchedulerModel {
  return JSON.parse(model) as SchedulerModel;
}

export function decodeSeen({ seen }: Pick<SchedulerRow, 'seen'>): SeenCapacity | null {
  return seen === null ? null : (JSON.parse(seen) as SeenCapacity);
}

export function* insertScheduler(workflowId: number, model: SchedulerModel): Script<number> {
  return yield* insert(
    'insert into scheduler (workflow_id, name, model) values (?, ?, ?)',
    workflowId,
    model.name,
    JSON.stringify(model),
  );
}

/** What was seen of allocations of the one before says nothing about those of the new one. */
export function* putScheduler(workflowId: number, model: SchedulerModel): Script<void> {
  yield* run(
    `insert into scheduler (workflow_id, name, model) values (?, ?, ?)
     on conflict (workflow_id, name) do update set model = excluded.model, refusals = 0, refusal = null,
       next_try_at = null, misses = 0, paused_at = null, pause_reason = null, seen = null`,
    workflowId,
    model.name,
    JSON.stringify(model),
  );
}

/** In the order of the spec. */
export function* listSchedulers(workflowId: number, after = 0, limit = 1000): Script<SchedulerRow[]> {
  return yield* all<SchedulerRow>(
    `select ${COLUMNS} from scheduler where workflow_id = ? and id > ? order by id limit ?`,
    workflowId,
    after,
    limit,
  );
}

/** Of all workflows that lists show, those that were paused last first. */
export function* listPausedSchedulers(
  limit: number,
  reader?: Reader,
): Script<
  { workflow_id: number; workflow_name: string; name: string; paused_at: number; pause_reason: string }[]
> {
  const { sql, values } = readable('workflow', reader);
  return yield* all(
    `select workflow.id as workflow_id, workflow.name as workflow_name, scheduler.name, scheduler.paused_at,
       scheduler.pause_reason
     from scheduler join workflow on workflow.id = scheduler.workflow_id
     where scheduler.paused_at is not null and workflow.storing_until is null and workflow.archived_at is null${sql}
     order by scheduler.paused_at desc limit ?`,
    ...values,
    limit,
  );
}

export function* findScheduler(workflowId: number, name: string): Script<SchedulerRow | undefined> {
  return yield* first<SchedulerRow>(
    `select ${COLUMNS} from scheduler where workflow_id = ? and name = ?`,
    workflowId,
    name,
  );
}

export function* getScheduler(id: number): Script<SchedulerRow> {
  return (yield* first<SchedulerRow>(`select ${COLUMNS} from scheduler where id = ?`, id))!;
}

export function* noteRefusal(id: number, refusals: number, message: string, nextTryAt: number): Script<void> {
  yield* changeOne(
    'update scheduler set refusals = ?, refusal = ?, next_try_at = ? where id = ?',
    refusals,
    message,
    nextTryAt,
    id,
  );
}

/** A submission was accepted. */
export function* clearRefusals(id: number): Script<void> {
  yield* run(
    'update scheduler set refusals = 0, refusal = null, next_try_at = null where id = ? and refusals > 0',
    id,
  );
}

export function* noteMiss(id: number, misses: number): Script<void> {
  yield* changeOne('update scheduler set misses = ? where id = ?', misses, id);
}

export function* pauseScheduler(id: number, reason: string, now: number): Script<void> {
  yield* changeOne('update scheduler set paused_at = ?, pause_reason = ? where id = ?', now, reason, id);
}

/** As if nothing had gone wrong. */
export function* clearScheduler(id: number): Script<void> {
  yield* changeOne(
    `update scheduler set refusals = 0, refusal = null, next_try_at = null, misses = 0, paused_at = null,
       pause_reason = null where id = ?`,
    id,
  );
}

/** A worker came from an allocation of it. */
export function* noteSeen(scheduler: Pick<SchedulerRow, 'id' | 'seen'>, now: SeenCapacity): Script<void> {
  const seen = addSeen(decodeSeen(scheduler), now);
  yield* changeOne(
    'update scheduler set seen = ?, misses = 0 where id = ?',
    JSON.stringify(seen),
    scheduler.id,
  );
}

/** Removes one that no allocation was ordered from. False: there are such allocations. */
export function* deleteUnusedScheduler(id: number): Script<boolean> {
  const deleted = yield* change(
    'delete from scheduler where id = ? and not exists (select 1 from allocation where scheduler_id = scheduler.id)',
    id,
  );
  return deleted === 1;
}

import type { EndedRunState } from '../../../core/run/run-transitions.ts';
import { all, changeOne, first, placeholders, type Script } from '../../script.ts';

/** null: lists show it again. */
export function* setArchived(workflowId: number, at: number | null): Script<void> {
  yield* changeOne('update workflow set archived_at = ? where id = ?', at, workflowId);
}

export interface RowCounts {
  jobs: number;
  attempts: number;
  events: number;
}

/** Of a workflow, whether it is hidden or not. */
export function* countRows(workflowId: number): Script<RowCounts> {
  const row = yield* first<RowCounts>(
    `select (select count(*) from job where workflow_id = ?) as jobs,
       (select count(*) from attempt where workflow_id = ?) as attempts,
       (select count(*) from event where workflow_id = ?) as events`,
    workflowId,
    workflowId,
    workflowId,
  );
  return row!;
}

export interface PrunableRow {
  id: number;
  state: EndedRunState;
  finished_at: number;
}

/** Complete workflows that are no rounds and not archived, the last to end first. */
export function* listPrunable(states: readonly EndedRunState[]): Script<PrunableRow[]> {
  return yield* all<PrunableRow>(
    `select workflow.id, run.state, run.finished_at from workflow
     join run on run.workflow_id = workflow.id and run.run_id = workflow.run_id
     where workflow.storing_until is null and workflow.archived_at is null and workflow.request_id is null
       and run.state in ${placeholders(states.length)}
     order by run.finished_at desc, workflow.id desc`,
    ...states,
  );
}

/** Workers and servers that are at work beside the attempts of a workflow. */
export interface BusyErrandRow {
  kind: string;
  worker_id: number | null;
  server_lease_expires_at: number | null;
}

export function* listStartedErrands(workflowId: number): Script<BusyErrandRow[]> {
  return yield* all<BusyErrandRow>(
    `select kind, worker_id, server_lease_expires_at from errand
     where workflow_id = ? and finished_at is null and started_at is not null and kind <> 'notification'`,
    workflowId,
  );
}

/** Where files of a workflow can be. It may be hidden. */
export interface FilePlaces {
  shared: number;
  output_dir: string;
}

export function* findFilePlaces(workflowId: number): Script<FilePlaces | undefined> {
  return yield* first<FilePlaces>('select shared, output_dir from workflow where id = ?', workflowId);
}

/** Hosts on which it was run. */
export function* listHosts(workflowId: number): Script<string[]> {
  const rows = yield* all<{ host: string }>(
    `select distinct worker.host from run join worker on worker.id = run.driver_id where run.workflow_id = ?`,
    workflowId,
  );
  return rows.map(({ host }) => host);
}

/** Those of the ids that are of this workflow. */
export function* listOwn(
  table: 'job' | 'action',
  workflowId: number,
  ids: readonly number[],
): Script<number[]> {
  const rows = yield* all<{ id: number }>(
    `select id from ${table} where workflow_id = ? and id in ${placeholders(ids.length)}`,
    workflowId,
    ...ids,
  );
  return rows.map(({ id }) => id);
}

import type { WorkflowHead } from '../../../core/model/workflow-parts.ts';
import { all, changeOne, first, run, type Script } from '../../script.ts';

/** The part of a workflow's row that no record has. */
export function* getMetadata(workflowId: number): Script<string> {
  return (yield* first<{ metadata: string }>('select metadata from workflow where id = ?', workflowId))!
    .metadata;
}

/** What the spec says of the workflow itself, from now on. */
export function* writeHead(workflowId: number, head: WorkflowHead): Script<void> {
  yield* changeOne(
    `update workflow set name = ?, description = ?, owner = ?, project = ?, metadata = ?, variables = ?, routing = ?,
       limits = ?, notify = ?, max_parallel = ?, use_pending_failed = ?, access_groups = ? where id = ?`,
    head.name,
    head.description,
    head.user,
    head.project,
    head.metadata,
    head.variables,
    head.routing,
    head.limits,
    head.notify,
    head.max_parallel,
    head.use_pending_failed ? 1 : 0,
    head.access_groups,
    workflowId,
  );
}

/** Options of a process that runs it, in JSON. */
export function* writeRunSettings(workflowId: number, settings: string): Script<void> {
  yield* changeOne('update workflow set run_settings = ? where id = ?', settings, workflowId);
}

export interface FullUserDataRow {
  name: string;
  initial: string | null;
  data: string | null;
  is_ephemeral: number;
}

export function* listAllUserData(workflowId: number): Script<FullUserDataRow[]> {
  return yield* all<FullUserDataRow>(
    'select name, initial, data, is_ephemeral from user_data where workflow_id = ? order by id',
    workflowId,
  );
}

/** `setsValue`: the value becomes the first one, too. */
export function* writeUserData(
  workflowId: number,
  { name, data, is_ephemeral }: { name: string; data: string | null; is_ephemeral: boolean },
  setsValue: boolean,
): Script<void> {
  yield* changeOne(
    `update user_data set initial = ?, is_ephemeral = ?${setsValue ? ', data = ?' : ''} where workflow_id = ? and name = ?`,
    ...[data, is_ephemeral ? 1 : 0, ...(setsValue ? [data] : []), workflowId, name],
  );
}

export function* deleteUserData(workflowId: number, name: string): Script<void> {
  yield* run('delete from user_data where workflow_id = ? and name = ?', workflowId, name);
}

export function* writeHandlerRules(handlerId: number, rules: string): Script<void> {
  yield* changeOne('update failure_handler set rules = ? where id = ?', rules, handlerId);
}

export function* isHandlerUsed(handlerId: number): Script<boolean> {
  const row = yield* first('select 1 as used from job where failure_handler_id = ? limit 1', handlerId);
  return row !== undefined;
}

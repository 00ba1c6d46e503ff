import { all, first, insert, run, type Script } from '../../script.ts';

/** `rules` as JSON. */
export function* insertHandler(workflowId: number, handler: { name: string; rules: string }): Script<number> {
  return yield* insert(
    'insert into failure_handler (workflow_id, name, rules) values (?, ?, ?)',
    workflowId,
    handler.name,
    handler.rules,
  );
}

export interface HandlerRow {
  id: number;
  workflow_id: number;
  name: string;
  rules: string;
}

export function* findHandler(id: number): Script<HandlerRow | undefined> {
  return yield* first<HandlerRow>(
    `select failure_handler.id, workflow_id, failure_handler.name, rules from failure_handler
     join workflow on workflow.id = workflow_id and workflow.storing_until is null where failure_handler.id = ?`,
    id,
  );
}

export function* findHandlerNamed(workflowId: number, name: string): Script<HandlerRow | undefined> {
  return yield* first<HandlerRow>(
    'select id, workflow_id, name, rules from failure_handler where workflow_id = ? and name = ? order by id',
    workflowId,
    name,
  );
}

export function* listHandlers(workflowId: number): Script<HandlerRow[]> {
  return yield* all<HandlerRow>(
    'select id, workflow_id, name, rules from failure_handler where workflow_id = ? order by id',
    workflowId,
  );
}

export function* listHandlersAfter(workflowId: number, after: number, limit: number): Script<HandlerRow[]> {
  return yield* all<HandlerRow>(
    `select id, workflow_id, name, rules from failure_handler where workflow_id = ? and id > ?
       order by id limit ?`,
    workflowId,
    after,
    limit,
  );
}

/** Jobs that have it must have been freed of it before. */
export function* deleteHandler(id: number): Script<void> {
  yield* run('delete from failure_handler where id = ?', id);
}

export function* listJobsWithHandler(id: number): Script<{ id: number; config: string }[]> {
  return yield* all<{ id: number; config: string }>(
    'select id, config from job where failure_handler_id = ? order by id',
    id,
  );
}

export function* setJobHandler(jobId: number, handlerId: number | null, config: string): Script<void> {
  yield* run('update job set failure_handler_id = ?, config = ? where id = ?', handlerId, config, jobId);
}

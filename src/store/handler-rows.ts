import type { FailureHandler } from '../core/failure-rule.ts';
import { all, first, insert, run, type Script } from './script.ts';

export function* insertHandler(workflowId: number, handler: FailureHandler): Script<number> {
  return yield* insert(
    'insert into failure_handler (workflow_id, name, rules) values (?, ?, ?)',
    workflowId,
    handler.name,
    JSON.stringify(handler.rules),
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
    'select id, workflow_id, name, rules from failure_handler where id = ?',
    id,
  );
}

export function* listHandlers(workflowId: number): Script<HandlerRow[]> {
  return yield* all<HandlerRow>(
    'select id, workflow_id, name, rules from failure_handler where workflow_id = ? order by id',
    workflowId,
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

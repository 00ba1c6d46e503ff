import type { FailureHandler } from '../core/failure-rule.ts';
import { all, first, insert, type Script } from './script.ts';

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
  name: string;
  rules: string;
}

export function* findHandler(id: number): Script<HandlerRow | undefined> {
  return yield* first<HandlerRow>('select id, name, rules from failure_handler where id = ?', id);
}

export function* listHandlers(workflowId: number): Script<HandlerRow[]> {
  return yield* all<HandlerRow>(
    'select id, name, rules from failure_handler where workflow_id = ? order by id',
    workflowId,
  );
}

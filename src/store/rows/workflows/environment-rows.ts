import type { JobConfig } from '../../../core/model/workflow-model.ts';
import { all, type Script } from '../../script.ts';

const ROWS_AT_ONCE = 2000;

/** The environments of the jobs after one, in the order of their ids; `next` is null at the end. */
export function* listEnvironments(
  workflowId: number,
  after: number,
): Script<{ environments: Record<string, string>[]; next: number | null }> {
  const rows = yield* all<{ id: number; config: string }>(
    `select id, config from job where workflow_id = ? and id > ? and config like '%"env":{"%' order by id limit ?`,
    workflowId,
    after,
    ROWS_AT_ONCE,
  );
  return {
    environments: rows.map(({ config }) => (JSON.parse(config) as JobConfig).env ?? {}),
    next: rows.length === ROWS_AT_ONCE ? rows.at(-1)!.id : null,
  };
}

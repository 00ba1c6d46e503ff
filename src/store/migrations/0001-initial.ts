import type { Dialect } from '../dialect.ts';
import { accessTables } from '../tables/access-tables.ts';
import { allocationTables } from '../tables/allocation-tables.ts';
import { attemptTables } from '../tables/attempt-tables.ts';
import { COLUMN_TYPES } from '../tables/column-types.ts';
import { COMMIT_MARK_TABLE } from '../tables/commit-mark-table.ts';
import { dagTables } from '../tables/dag-tables.ts';
import { errandTables } from '../tables/errand-tables.ts';
import { eventTables } from '../tables/event-tables.ts';
import { flowTables } from '../tables/flow-tables.ts';
import { jobTables } from '../tables/job-tables.ts';
import { requestTables } from '../tables/request-tables.ts';
import { workerTables } from '../tables/worker-tables.ts';
import { workflowTables } from '../tables/workflow-tables.ts';

/** Times are milliseconds since the epoch, flags 0 or 1, structured values JSON in text. */
export function initialSchema(dialect: Dialect): string[] {
  const types = COLUMN_TYPES[dialect];
  return [
    ...workerTables(types),
    ...workflowTables(types),
    ...jobTables(types),
    ...attemptTables(types),
    ...flowTables(types),
    ...errandTables(types),
    ...allocationTables(types),
    ...dagTables(),
    ...requestTables(types),
    ...accessTables(types),
    ...eventTables(types),
    ...(dialect === 'postgres' ? [COMMIT_MARK_TABLE] : []),
    ...guards(dialect),
  ];
}

/** Attempts and events are history: nothing that has ended is ever changed or removed by an update. */
function guards(dialect: Dialect): string[] {
  if (dialect === 'sqlite') {
    return [
      `create trigger attempt_is_final before update on attempt when old.finished_at is not null
       begin select raise(abort, 'a finished attempt never changes'); end`,
      `create trigger event_is_final before update on event
       begin select raise(abort, 'an event never changes'); end`,
    ];
  }
  return [
    `create function refuse_change() returns trigger language plpgsql as
     $$ begin raise exception '% is final', tg_table_name; end $$`,
    `create trigger attempt_is_final before update on attempt
     for each row when (old.finished_at is not null) execute function refuse_change()`,
    'create trigger event_is_final before update on event for each row execute function refuse_change()',
  ];
}

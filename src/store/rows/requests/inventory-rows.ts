import type { OpenItem } from '../../../core/request/plan-units.ts';
import type { NewItem } from '../../../core/request/request-model.ts';
import type { ItemState } from '../../../core/request/request-states.ts';
import { inParts, valueRows } from '../../many-rows.ts';
import {
  all,
  change,
  changeAll,
  first,
  placeholders,
  run,
  type Script,
  type SqlValue,
} from '../../script.ts';

export function* insertItems(requestId: number, items: readonly NewItem[]): Script<void> {
  for (const part of inParts(items)) {
    const { sql, values } = valueRows(part.map(({ path, group }) => [requestId, path, group]));
    yield* changeAll(part.length, `insert into item (request_id, path, group_key) ${sql}`, ...values);
  }
}

/** All items of a request once more, for its next version; none of them has been processed there. */
export function* copyItems(from: number, to: number): Script<void> {
  yield* run(
    'insert into item (request_id, path, group_key) select ?, path, group_key from item where request_id = ? order by id',
    to,
    from,
  );
}

/** Items that can be planned, in the order in which they were handed in, above the id `after`. */
export function* listOpenItems(
  requestId: number,
  state: 'fresh' | 'attempted',
  after: number,
  limit: number,
): Script<OpenItem[]> {
  return yield* all<OpenItem>(
    `select id, path, group_key as "group" from item where request_id = ? and state = ? and id > ? order by id limit ?`,
    requestId,
    state,
    after,
    limit,
  );
}

export type ItemCounts = Record<ItemState, number>;

export function* countItems(requestId: number): Script<ItemCounts> {
  const counts: ItemCounts = { fresh: 0, attempted: 0, processed: 0, excluded: 0 };
  const rows = yield* all<{ state: ItemState; count: number }>(
    'select state, count(*) as count from item where request_id = ? group by state',
    requestId,
  );
  for (const { state, count } of rows) counts[state] = count;
  return counts;
}

export function* hasOpenItems(requestId: number): Script<boolean> {
  const row = yield* first(
    `select 1 as found from item where request_id = ? and state in ('fresh', 'attempted') limit 1`,
    requestId,
  );
  return row !== undefined;
}

const OF_UNITS = (state: 'done' | 'failed') => `id in (
  select unit_item.item_id from unit_item join unit on unit.id = unit_item.unit_id
  where unit.workflow_id = ? and unit.state = '${state}')`;

/** fresh, attempted → processed for the items of all units of the round that are done. */
export function* creditItems(workflowId: number): Script<void> {
  yield* run(
    `update item set state = 'processed', reason = null where state in ('fresh', 'attempted') and ${OF_UNITS('done')}`,
    workflowId,
  );
}

/** fresh → attempted for the items of failed units of the round. */
export function* markAttempted(workflowId: number, reason: string): Script<void> {
  yield* run(
    `update item set state = 'attempted', reason = ? where state in ('fresh', 'attempted') and ${OF_UNITS('failed')}`,
    reason,
    workflowId,
  );
}

const PATHS_AT_ONCE = 200;

/** Open items of the request with these paths → excluded. Returns how many. */
export function* excludeItems(
  requestId: number,
  paths: readonly string[],
  reason: string,
  withinFailedUnitsOf: number | null,
): Script<number> {
  let count = 0;
  const within = withinFailedUnitsOf === null ? '' : ` and ${OF_UNITS('failed')}`;
  for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
    const some = paths.slice(from, from + PATHS_AT_ONCE);
    count += yield* change(
      `update item set state = 'excluded', reason = ? where request_id = ? and path in ${placeholders(some.length)}
         and state in ('fresh', 'attempted')${within}`,
      reason,
      requestId,
      ...some,
      ...(withinFailedUnitsOf === null ? [] : [withinFailedUnitsOf]),
    );
  }
  return count;
}

/** The state of each of these paths that is an item of the request. */
export function* itemStates(requestId: number, paths: readonly string[]): Script<Map<string, ItemState>> {
  const states = new Map<string, ItemState>();
  for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
    const some = paths.slice(from, from + PATHS_AT_ONCE);
    const rows = yield* all<{ path: string; state: ItemState }>(
      `select path, state from item where request_id = ? and path in ${placeholders(some.length)}`,
      requestId,
      ...some,
    );
    for (const { path, state } of rows) states.set(path, state);
  }
  return states;
}

export interface ItemRow {
  id: number;
  path: string;
  group_key: string | null;
  state: ItemState;
  reason: string | null;
  unit: number | null;
}

export function* listItemRows(
  requestId: number,
  filter: { states: readonly ItemState[] | null; unit: number | null; after: number; limit: number },
): Script<ItemRow[]> {
  const values: SqlValue[] = [requestId, filter.after];
  let some = '';
  if (filter.states !== null) {
    some += ` and item.state in ${placeholders(filter.states.length)}`;
    values.push(...filter.states);
  }
  if (filter.unit !== null) {
    some += ` and item.id in (select unit_item.item_id from unit_item join unit on unit.id = unit_item.unit_id
      join round on round.workflow_id = unit.workflow_id where round.request_id = ? and unit.number = ?)`;
    values.push(requestId, filter.unit);
  }
  return yield* all<ItemRow>(
    `select item.id, item.path, item.group_key, item.state, item.reason,
       (select max(unit.number) from unit_item join unit on unit.id = unit_item.unit_id
        join round on round.workflow_id = unit.workflow_id where unit_item.item_id = item.id) as unit
     from item where item.request_id = ? and item.id > ?${some} order by item.id limit ?`,
    ...values,
    filter.limit,
  );
}

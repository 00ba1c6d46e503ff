import type { ForeachInput, ItemFailure } from '../../core/job/evaluation.ts';
import { statusName } from '../../core/job/job-status.ts';
import {
  type JoinedRow,
  listDisabledProducers,
  listJoined,
  listJoinedNames,
  listOutputHistory,
  listOutputs,
} from '../../store/rows/flow/output-rows.ts';
import { enclosingScopes, findScope, producerOf } from '../../store/rows/flow/scope-rows.ts';
import type { Script } from '../../store/script.ts';

/** What the job of a scope may read of others: outermost scopes first, so that inner ones win; items by their producer. */
export function* loadOutputs(
  workflowId: number,
  scope: string,
  names: readonly string[] | null,
): Script<Record<string, unknown>> {
  const outputs: Record<string, unknown> = {};
  for (const enclosing of enclosingScopes(scope).reverse()) {
    for (const { name, output } of yield* listOutputs(workflowId, enclosing, names)) {
      if (output !== null) outputs[name] = JSON.parse(output) as unknown;
    }
    const producer = producerOf(enclosing);
    if (enclosing === '' || (names !== null && !names.includes(producer))) continue;
    const { item } = yield* findScope(workflowId, enclosing);
    outputs[producer] = JSON.parse(item ?? 'null') as unknown;
  }
  return outputs;
}

export function* loadOutputHistory(
  workflowId: number,
  runId: number,
  scope: string,
): Script<Record<string, unknown[]>> {
  const history: Record<string, unknown[]> = {};
  for (const enclosing of enclosingScopes(scope)) {
    for (const { name, output } of yield* listOutputHistory(workflowId, runId, enclosing)) {
      history[name] = [...(history[name] ?? []), JSON.parse(output) as unknown];
    }
  }
  return history;
}

/** The items that a reduce step joins, as far as it reads them: outputs of those that succeeded, and the others. */
export function* loadJoined(
  setId: number | null,
  names: readonly string[] | null,
): Script<{ outputs: Record<string, unknown[]>; failures: Record<string, ItemFailure[]> }> {
  const outputs: Record<string, unknown[]> = {};
  const failures: Record<string, ItemFailure[]> = {};
  if (setId === null) return { outputs, failures };
  const isRead = (name: string) => names === null || names.includes(name);
  for (const name of (yield* listDisabledProducers(setId)).filter(isRead)) outputs[name] = [];
  const read = (yield* listJoinedNames(setId)).filter(isRead);
  if (read.length === 0) return { outputs, failures };
  for (const name of read) {
    outputs[name] = [];
    failures[name] = [];
  }
  for (const row of yield* listJoined(setId)) {
    const status = statusName(row.status);
    if (status === 'completed') outputs[row.name]?.push(row.output === null ? null : JSON.parse(row.output));
    else if (status !== 'disabled') {
      failures[row.name]?.push({ ...itemKey(row), status, error: row.reason ?? status });
    }
  }
  return { outputs, failures };
}

/** The innermost item around a scope. */
export function* loadForeach(workflowId: number, scope: string): Script<ForeachInput | null> {
  if (scope === '') return null;
  const row = yield* findScope(workflowId, scope);
  return { ...itemKey(row), total: row.total, path: scope };
}

function itemKey({ item, item_index }: Pick<JoinedRow, 'item' | 'item_index'>): {
  key: string | number;
  index: number;
} {
  const value = JSON.parse(item ?? 'null') as unknown;
  const key = typeof value === 'string' || typeof value === 'number' ? value : item_index;
  return { key, index: item_index };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewRequest } from '../../contract/engine.ts';
import { ownerOf } from '../../core/access/may-change.ts';
import { HoldfastError } from '../../core/errors.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../core/request/error-settings.ts';
import type { NewItem, RequestModel } from '../../core/request/request-model.ts';
import { requestHasEnded } from '../../core/request/request-states.ts';
import { lockKey } from '../../store/lock-rows.ts';
import { insertItems } from '../../store/rows/requests/inventory-rows.ts';
import {
  encodeModel,
  findAbandonedRequest,
  findRequest,
  getRequestRow,
  giveUpStoringRequest,
  insertRequest,
  keepStoringRequest,
  moveRequest,
  newestVersion,
  type RequestRow,
  removeSomeOfRequest,
  setSuccessor,
  showRequest,
} from '../../store/rows/requests/request-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { recordRequest } from '../records/record-request.ts';

/** So many items are stored in one transaction, which takes some milliseconds. */
const ITEMS_AT_ONCE = 500;
/** A process that has not stored the next part by then is dead. */
const STORING_MS = 20_000;

/** A request that is about to be stored, without its items. */
export interface RequestHead {
  model: RequestModel;
  settings: string;
  total: string;
  cwd: string;
  output_dir: string;
  actor: string;
  shared: boolean;
}

export function headOf(request: NewRequest): RequestHead {
  const { model, items, settings = {}, cwd, output_dir, actor, shared = false } = request;
  const total = model.work.kind === 'range' ? model.work.total : BigInt(items?.length ?? 0);
  return {
    model,
    settings: JSON.stringify({ ...DEFAULT_ERROR_SETTINGS, ...settings, ...model.errors }),
    total: String(total),
    cwd,
    output_dir,
    actor,
    shared,
  };
}

/** Stores a request in short transactions and returns its number. It is hidden until the last of them. */
export async function storeRequest(store: Store, request: NewRequest): Promise<number> {
  // What an earlier process left behind would keep its name.
  await removeAbandonedRequests(store);
  const head = headOf(request);
  const id = await store.write((now) => beginRequest(head, now));
  try {
    const items = request.items ?? [];
    for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) {
      await nextTurn();
      const part: NewItem[] = items.slice(from, from + ITEMS_AT_ONCE);
      await store.write(function* (now) {
        if (!(yield* keepStoringRequest(id, now + STORING_MS))) throw givenUp();
        yield* insertItems(id, part);
      });
    }
    await store.write((now) => queueRequest(id, head.actor, now));
    return id;
  } catch (error) {
    // A store that cannot do this either keeps it hidden, and it is removed later.
    await discardRequest(store, id).catch(() => {});
    throw error;
  }
}

/** The next version of its name; an earlier one must have ended. */
export function* beginRequest(head: RequestHead, now: number): Script<number> {
  const { name } = head.model;
  yield* lockKey(`request ${name}`);
  const newest = yield* newestVersion(name);
  const previous = newest === null ? undefined : yield* findRequest(name, newest);
  if (newest !== null && (previous === undefined || !requestHasEnded(previous.state))) {
    throw new HoldfastError('REQUEST_EXISTS', { name, state: previous?.state ?? 'SUBMITTED' });
  }
  return yield* insertVersion(head, (newest ?? 0) + 1, previous?.id ?? null, now);
}

/** SUBMITTED and hidden. */
export function* insertVersion(
  head: RequestHead,
  version: number,
  previousId: number | null,
  now: number,
): Script<number> {
  const { model, settings, total, cwd, output_dir, actor, shared } = head;
  return yield* insertRequest({
    name: model.name,
    version,
    priority: model.priority,
    model: encodeModel(model),
    settings,
    next_number: model.work.kind === 'range' ? String(model.work.first) : null,
    total,
    previous_id: previousId,
    cwd,
    output_dir,
    actor,
    owned_by: ownerOf(actor),
    access_groups: JSON.stringify(model.access_groups ?? []),
    shared,
    created_at: now,
    storing_until: now + STORING_MS,
  });
}

/** Everything of it is there: it waits for its admission. */
export function* queueRequest(id: number, actor: string, now: number): Script<void> {
  const request = yield* showNewRequest(id);
  yield* recordRequest(request, 'request_submitted', { actor, total: request.total }, now);
  yield* moveRequest(request, 'QUEUED', now);
}

/** Others see it from here on. */
export function* showNewRequest(id: number): Script<RequestRow> {
  yield* showRequest(id);
  const request = yield* getRequestRow(id);
  if (request.previous_id !== null) yield* setSuccessor(request.previous_id, id);
  return request;
}

/** Removes requests whose storing was abandoned. */
export async function removeAbandonedRequests(store: Store): Promise<void> {
  for (;;) {
    const id = await store.read((now) => findAbandonedRequest(now));
    if (id === undefined) return;
    await discardRequest(store, id);
  }
}

async function discardRequest(store: Store, id: number): Promise<void> {
  if (!(await store.write(() => giveUpStoringRequest(id)))) return;
  while (await store.write(() => removeSomeOfRequest(id))) await nextTurn();
}

function givenUp(): HoldfastError {
  return new HoldfastError('STORE_FAILED', {
    problem: 'storing the request was interrupted for too long, and what there was of it has been removed',
  });
}

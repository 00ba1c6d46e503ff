import { setImmediate as nextTurn } from 'node:timers/promises';
import { HoldfastError } from '../../core/errors.ts';
import type { SubmittedWorkflow, WorkflowPart } from '../../core/model/workflow-parts.ts';
import { removeSome } from '../../store/rows/workflows/removal-rows.ts';
import {
  findAbandoned,
  giveUpStoring,
  keepStoring,
  showWorkflow,
} from '../../store/rows/workflows/storing-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import {
  beginWorkflow,
  completeWorkflow,
  findSubmitted,
  RowIds,
  storeAtOnce,
  storePart,
} from './create-workflow.ts';

/** So many rows are stored in one transaction, which takes some milliseconds. */
const FEW_ROWS = 300;
/** Whoever has not stored the next part by then is dead. */
export const STORING_MS = 60_000;

export type WorkflowParts = Iterable<WorkflowPart> | AsyncIterable<WorkflowPart>;

/** What else belongs into the transaction that shows the workflow. If it throws, nothing of the workflow is left. */
type WhenStored = (workflowId: number, now: number) => Script<void>;

function* nothingMore(): Script<void> {}

/**
 * Stores a workflow and returns its number. A large one takes many short transactions, so that leases are renewed and
 * claims answered meanwhile, by this process and others; nobody sees it before the last of them. What a crash leaves
 * behind is removed by `removeAbandoned`.
 */
export async function storeWorkflow(
  store: Store,
  workflow: SubmittedWorkflow,
  parts: WorkflowParts,
  whenStored: WhenStored = nothingMore,
): Promise<number> {
  if (workflow.head.rows <= FEW_ROWS) {
    const all: WorkflowPart[] = [];
    for await (const part of parts) all.push(part);
    return store.write(function* (now) {
      const id = yield* storeAtOnce(workflow, all, now);
      yield* whenStored(id, now);
      return id;
    });
  }
  const begun = await store.write(function* (now) {
    const known = yield* findSubmitted(workflow);
    if (known !== undefined) return { known };
    return { id: yield* beginWorkflow(workflow, now, now + STORING_MS) };
  });
  if (begun.known !== undefined) return begun.known;
  try {
    return await storeParts(store, begun.id!, workflow, parts, whenStored);
  } catch (error) {
    // A store that cannot do this either keeps it hidden, and it is removed later.
    await discard(store, begun.id!).catch(() => {});
    throw error;
  }
}

async function storeParts(
  store: Store,
  workflowId: number,
  workflow: SubmittedWorkflow,
  parts: WorkflowParts,
  whenStored: WhenStored,
): Promise<number> {
  const ids = new RowIds(workflowId);
  for await (const part of parts) {
    await nextTurn();
    const stored = await store.write(function* (now) {
      if (!(yield* keepStoring(workflowId, now + STORING_MS))) throw givenUp();
      return yield* storePart(ids, part, now);
    });
    ids.add(part, stored);
  }
  await nextTurn();
  const id = await store.write(function* (now) {
    // Another request may have used the key meanwhile.
    const known = yield* findSubmitted(workflow);
    if (known !== undefined) return known;
    yield* showWorkflow(workflowId);
    yield* completeWorkflow(workflowId, workflow, now);
    yield* whenStored(workflowId, now);
    return workflowId;
  });
  if (id !== workflowId) await discard(store, workflowId);
  return id;
}

interface Discarding {
  /** The rest is left to others. */
  isStopped(): boolean;
  /** What has to be done while its rows are there. */
  before(workflowId: number): Promise<void>;
}

/** Removes what is hidden: workflows whose storing was abandoned, and deleted ones. */
export async function removeAbandoned(store: Store, how: Discarding): Promise<void> {
  while (!how.isStopped()) {
    const id = await store.read((now) => findAbandoned(now));
    if (id === undefined) return;
    await discard(store, id, how);
  }
}

/** In as short transactions as it was stored in. */
export async function discard(store: Store, workflowId: number, how?: Discarding): Promise<void> {
  if (!(await store.write(() => giveUpStoring(workflowId)))) return;
  await how?.before(workflowId);
  for (let step: number | null = 0; step !== null && how?.isStopped() !== true; await nextTurn()) {
    const from: number = step;
    step = await store.write(() => removeSome(workflowId, from));
  }
}

function givenUp(): HoldfastError {
  return new HoldfastError('STORE_FAILED', {
    problem: 'storing the workflow was interrupted for too long, and what there was of it has been removed',
  });
}

import type { RunDriver, RunRef, RunView } from '../../contract/run-engine.ts';
import { decideDagRun } from '../../core/dag/dag-run.ts';
import { HoldfastError } from '../../core/errors.ts';
import { hasProcessEnded } from '../../host/process-name.ts';
import {
  type DagRunRow,
  type DagScope,
  findDagRun,
  listOpenDagRuns,
  listUnplanned,
  noteDagProblem,
  noteHalted,
  noteRemoved,
  type OpenDagRun,
  takeDagRun,
  toCrashed,
  toDagEnded,
} from '../../store/rows/dags/dag-run-rows.ts';
import { currentTime, type Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import { needRequest } from '../requests/needed-request.ts';
import { dagFileOf, fileRunOf, planDagRun } from './plan-dag-run.ts';
import { recordNewAttempts } from './record-attempts.ts';
import { settleDagRun } from './settle-dag-run.ts';
import { findDagSubmission, recordDagEvent, submitDagRun } from './submit-dag-run.ts';

/** Whoever has not come back by then is dead, and another process looks after the run. Commands take 30 s to fail. */
const LEASE_MS = 120_000;
/** How often the queue is asked about all runs. */
const LOOK_MS = 5_000;
const SOON_MS = 1_000;
const IDLE_MS = 60_000;

/**
 * One pass over the runs on DAGMan: writes rows for those that begin, asks the queue once about all that were submitted,
 * and takes one step with each. Nothing is kept in memory: a pass that dies at any point is continued by the next one, of
 * any process.
 */
export async function tendDagRuns(
  store: Store,
  driver: RunDriver,
): Promise<{ wait_ms: number; changed: boolean; open: number; problems: string[] }> {
  const scope = await scopeOf(store, driver);
  for (const id of await store.read(() => listUnplanned(scope))) {
    await store.write((now) => planDagRun(id, now));
  }
  const rows: OpenDagRun[] = [];
  const open = await store.read(() => listOpenDagRuns(scope));
  for (const row of open) {
    if (await keepLease(store, driver, row)) rows.push(row);
  }
  if (rows.length === 0) return { wait_ms: IDLE_MS, changed: false, open: open.length, problems: [] };
  const refs = new Map(
    rows.flatMap((row): [OpenDagRun, RunRef][] => (isSubmitted(row) ? [[row, refOf(row)]] : [])),
  );
  const views = await driver.engine.look([...refs.values()]);
  let changed = false;
  for (const row of rows) {
    const ref = refs.get(row);
    const view = ref === undefined ? null : views.get(ref)!;
    if (!(await keepLease(store, driver, row))) continue;
    changed = (await step(store, driver, row, view)) || changed;
  }
  const left = await store.read(() => listOpenDagRuns(scope));
  return {
    wait_ms: changed ? SOON_MS : LOOK_MS,
    changed,
    open: left.length,
    problems: left.flatMap(({ problem }) => problem ?? []),
  };
}

/**
 * The lease is renewed when half of it is over, so that most passes do not write. A run of a request that no server works
 * on is taken over at once from a process of this machine that has ended.
 */
async function keepLease(store: Store, { server, only }: RunDriver, row: OpenDagRun): Promise<boolean> {
  const now = await store.read(() => currentTime());
  const isOwn = row.server === server;
  if (isOwn && row.lease_expires_at - now > LEASE_MS / 2) return true;
  const dead =
    !isOwn && only !== null && row.server !== null && hasProcessEnded(row.server) ? row.server : null;
  if (!isOwn && dead === null && row.lease_expires_at > now) return false;
  const until = now + LEASE_MS;
  if (!(await store.write((at) => takeDagRun(row, server, dead, until, at)))) return false;
  row.server = server;
  row.lease_expires_at = until;
  return true;
}

async function scopeOf(store: Store, { only }: RunDriver): Promise<DagScope> {
  if (only === null) return 'shared';
  if ('workflow' in only) return { workflow_id: only.workflow };
  return { request_id: (await store.read(() => needRequest(only.request))).id };
}

const isSubmitted = ({ state }: DagRunRow) => state === 'submitted';

const refOf = (row: OpenDagRun): RunRef => ({
  directory: row.directory,
  dag: dagFileOf(row),
  run: fileRunOf(row),
  id: row.cluster_id!,
});

/** Returns whether anything was done. */
async function step(
  store: Store,
  driver: RunDriver,
  row: OpenDagRun,
  view: RunView | null,
): Promise<boolean> {
  const now = await store.read(() => currentTime());
  const facts = {
    state: row.state,
    wanted: row.wanted === 1,
    paused: row.paused === 1,
    nextTryAt: row.next_try_at,
    removedAt: row.removed_at,
    haltedAt: row.halted_at,
    crashes: row.crashes,
    view: view && {
      state: view.state,
      crashed: view.ended?.how === 'error' && view.ended.exitCode === null,
    },
  };
  switch (decideDagRun(facts, now)) {
    case 'submit':
      await submitDagRun(store, driver, row);
      return true;
    case 'find':
      await findDagSubmission(store, driver, row);
      return true;
    case 'remove':
      return ask(store, row, () => driver.engine.stop(refOf(row)), noteRemoved);
    case 'halt':
      return ask(store, row, () => driver.engine.halt(refOf(row)), noteHalted);
    case 'continue':
      return ask(
        store,
        row,
        () => driver.engine.continue(refOf(row)),
        (key) => noteHalted(key, null),
      );
    case 'resubmit':
      await store.write((at) => crashed(row, at));
      return true;
    case 'settle':
      await settleDagRun(store, row, view!);
      return true;
    case 'close':
      await store.write((at) => close(row, at));
      return true;
    case 'wait':
      return view === null ? false : noteView(store, row, view);
  }
}

async function ask(
  store: Store,
  row: DagRunRow,
  order: () => Promise<void>,
  note: (row: DagRunRow, now: number) => Script<void>,
): Promise<boolean> {
  try {
    await order();
    await store.write((now) => note(row, now));
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    await store.write(() => noteDagProblem(row, error.message, null));
  }
  return true;
}

function* crashed(row: DagRunRow, now: number): Script<void> {
  yield* takeWorkflow(row.workflow_id);
  const current = yield* findDagRun(row);
  if (current?.state !== 'submitted') return;
  yield* toCrashed(current);
  yield* recordDagEvent(row, 'dag_crashed', { run_id: row.run_id, cluster: row.cluster_id }, now);
}

/** Nothing of it was submitted. */
function* close(row: DagRunRow, now: number): Script<void> {
  yield* takeWorkflow(row.workflow_id);
  const current = yield* findDagRun(row);
  if (current?.state === 'planned') yield* toDagEnded(current, 'not submitted', now);
}

/** Records attempts that have ended, and what keeps a submitted run from running, or nobody from answering. */
async function noteView(store: Store, row: DagRunRow, { why, attempts }: RunView): Promise<boolean> {
  await recordNewAttempts(store, row, attempts);
  if (why !== row.problem) {
    await store.write(function* (now) {
      if (why !== null) yield* recordDagEvent(row, 'dag_problem', { problem: why }, now);
      yield* noteDagProblem(row, why, null);
    });
  }
  return why !== row.problem || attempts.length > 0;
}

import {
  insertDependencyMember,
  insertDependencySet,
  listMembers,
  listMemberships,
  recountSet,
  recountSetsOf,
} from '../store/dependency-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import {
  disableItem,
  hasScope,
  insertItemJob,
  listBlueprints,
  listItemJobs,
  retireBlueprint,
  setDependencySet,
} from '../store/item-rows.ts';
import { addJobs } from '../store/job-route-rows.ts';
import type { JobRow } from '../store/job-rows.ts';
import { putScope } from '../store/scope-rows.ts';
import type { Script } from '../store/script.ts';
import type { RunOf } from './settle-dependents.ts';

/** How the sets around blueprints carry over to the jobs of an item. */
interface CopyPlan {
  blueprints: JobRow[];
  /** Sets that have blueprints as members: each item gets one of its own. All others are shared by the items. */
  local: Map<number, { job_id: number; kind: number }[]>;
  /** Sets further out that join the items of a blueprint. */
  outer: Map<number, { set_id: number; kind: number }[]>;
}

/**
 * The list is there: each job below the producer becomes one job per item. Jobs of an earlier visit are used again;
 * those of items that are no more are disabled. Comes before the producer itself is settled, which releases them.
 */
export function* expandItems(
  workflow: RunOf,
  producer: JobRow,
  items: readonly unknown[],
  now: number,
): Script<void> {
  const prefix = `${producer.scope === '' ? '' : `${producer.scope}/`}${producer.name}`;
  const plan = yield* planCopies(workflow.id, `${prefix}[*]`);
  let jobs = 0;
  for (const [index, value] of items.entries()) {
    jobs += yield* makeItem(workflow.id, `${prefix}[*]`, `${prefix}[${index}]`, plan, {
      index,
      total: items.length,
      value,
    });
  }
  for (let index = items.length; yield* hasScope(workflow.id, `${prefix}[${index}]`); index++) {
    yield* recountSetsOf(yield* disableItem(workflow.id, `${prefix}[${index}]`));
  }
  for (const blueprint of plan.blueprints) {
    if (blueprint.blueprint !== 1) continue;
    yield* retireBlueprint(blueprint.id, items.length > 0);
    if (items.length > 0) jobs -= 1;
  }
  const joins = new Set([...plan.outer.values()].flat().map(({ set_id }) => set_id));
  for (const id of joins) yield* recountSet(id);
  if (jobs !== 0) yield* addJobs(workflow.id, jobs);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: producer.id,
    at: now,
    type: 'expand',
    reason: items.length === 0 ? 'its list is empty' : `its list has ${items.length} items`,
    data: { items: items.length },
  });
}

function* planCopies(workflowId: number, pattern: string): Script<CopyPlan> {
  const blueprints = yield* listBlueprints(workflowId, pattern);
  const ids = new Set(blueprints.map(({ id }) => id));
  const plan: CopyPlan = { blueprints, local: new Map(), outer: new Map() };
  const own = new Set(blueprints.map(({ dependency_set_id }) => dependency_set_id));
  for (const setId of own) {
    const members = setId === null ? [] : yield* listMembers(setId);
    if (members.some(({ job_id }) => ids.has(job_id))) plan.local.set(setId!, members);
  }
  for (const { id } of blueprints) {
    const outer = (yield* listMemberships(id)).filter(({ set_id }) => !own.has(set_id));
    if (outer.length > 0) plan.outer.set(id, outer);
  }
  return plan;
}

/** The jobs of one item. Returns how many are new. */
function* makeItem(
  workflowId: number,
  pattern: string,
  scope: string,
  { blueprints, local, outer }: CopyPlan,
  item: { index: number; total: number; value: unknown },
): Script<number> {
  const isKnown = blueprints.some(({ blueprint }) => blueprint === 2) && (yield* hasScope(workflowId, scope));
  const known = new Map(
    (isKnown ? yield* listItemJobs(workflowId, scope) : []).map((job) => [
      `${job.name}@${job.scope}`,
      job.id,
    ]),
  );
  yield* putScope(workflowId, scope, item);
  const copies = new Map<number, number>();
  const created: JobRow[] = [];
  for (const blueprint of blueprints) {
    const own = scope + blueprint.scope.slice(pattern.length);
    const earlier = known.get(`${blueprint.name}@${own}`);
    if (earlier !== undefined) {
      copies.set(blueprint.id, earlier);
      continue;
    }
    const setId = blueprint.dependency_set_id;
    const shared = setId !== null && local.has(setId) ? null : setId;
    const id = yield* insertItemJob(blueprint, own, shared, own !== scope);
    copies.set(blueprint.id, id);
    created.push(blueprint);
    for (const { set_id, kind } of outer.get(blueprint.id) ?? [])
      yield* insertDependencyMember(set_id, id, kind);
  }
  yield* copySets(workflowId, created, copies, local);
  return created.length;
}

function* copySets(
  workflowId: number,
  created: readonly JobRow[],
  copies: ReadonlyMap<number, number>,
  local: CopyPlan['local'],
): Script<void> {
  const made = new Map<number, number>();
  for (const { id, dependency_set_id } of created) {
    const members = dependency_set_id === null ? undefined : local.get(dependency_set_id);
    if (members === undefined) continue;
    let setId = made.get(dependency_set_id!);
    if (setId === undefined) {
      setId = yield* insertDependencySet(workflowId, members.length);
      for (const { job_id, kind } of members)
        yield* insertDependencyMember(setId, copies.get(job_id) ?? job_id, kind);
      yield* recountSet(setId);
      made.set(dependency_set_id!, setId);
    }
    yield* setDependencySet(copies.get(id)!, setId);
  }
}
